package io.sifr.internal.io;

import java.nio.ByteBuffer;

/** An existing file read at any position, by any number of threads. */
public interface RandomReadFile extends AutoCloseable {
  /** Bytes in the file when it was opened. */
  long size();

  /**
   * Fills the buffer from its position to its limit with the bytes at {@code position} of the file.
   *
   * @throws io.sifr.error.CorruptionException when the file ends before the buffer is full
   */
  void readFully(ByteBuffer target, long position);

  /** Closes the file. It can be called more than once. */
  @Override
  void close();
}
