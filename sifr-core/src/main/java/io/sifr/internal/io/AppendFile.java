package io.sifr.internal.io;

import java.nio.ByteBuffer;

/** A new file being written from its start to its end. Used by one thread at a time. */
public interface AppendFile extends AutoCloseable {
  /** Appends everything between the buffer's position and limit, and moves the position there. */
  void append(ByteBuffer source);

  /** Appends {@code length} bytes of the array. */
  void append(byte[] source, int offset, int length);

  /** Bytes appended so far. */
  long position();

  /**
   * Makes content and size durable. After a failure the content is undefined and the file must not
   * be synced again.
   */
  void sync();

  /** Closes the file without syncing it. Calls after the first have no effect. */
  @Override
  void close();
}
