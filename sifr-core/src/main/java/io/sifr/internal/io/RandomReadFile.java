package io.sifr.internal.io;

import java.nio.ByteBuffer;

/** An existing file read at any position, by any number of threads. */
public interface RandomReadFile extends AutoCloseable {
  /** Size of the file in bytes when it was opened. */
  long size();

  /**
   * Fills the buffer from its position to its limit with the bytes at {@code position} of the file.
   *
   * @throws io.sifr.error.CorruptionException when the file ends before the buffer is full
   */
  void readFully(ByteBuffer target, long position);

  /** Closes the file. Calls after the first have no effect. */
  @Override
  void close();
}
