package io.sifr.internal.io;

import java.nio.ByteBuffer;

/** An existing file read at any position, by any number of threads. */
public interface RandomReadFile extends AutoCloseable {
  /** So many bytes before those of {@link #readNext} were just read. */
  int BYTES_BEFORE_NEXT = 8192;

  /**
   * Says that the file keeps its name until this is closed: between reads it need not stay open, so
   * that its descriptor can serve others.
   */
  default void keepsItsName() {}

  /**
   * Size of the file in bytes when it was opened, or when a read reached beyond what was known of
   * it: others may append to it.
   */
  long size();

  /**
   * Fills the buffer from its position to its limit with the bytes at {@code position} of the file.
   *
   * @throws io.sifr.error.CorruptionException when the file ends before the buffer is full
   * @throws io.sifr.error.FileNotOpenedException when it had to be opened again, which failed
   */
  void readFully(ByteBuffer target, long position);

  /**
   * The same for bytes that directly follow {@link #BYTES_BEFORE_NEXT} or more that were just read,
   * when it is not known whether any after them will be wanted: the system does not read ahead by
   * itself, if that can be avoided.
   */
  default void readNext(ByteBuffer target, long position) {
    readFully(target, position);
  }

  /** Closes the file. Calls after the first have no effect. */
  @Override
  void close();
}
