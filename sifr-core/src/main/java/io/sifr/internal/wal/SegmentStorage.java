package io.sifr.internal.wal;

/**
 * The bytes of one segment file, all of which were written when it was created. Frames are stored
 * by one thread at a time; a sync and the store of a mark may run concurrently.
 *
 * <p>Methods that store throw an {@link InternalError} when the segment is mapped and a page of it
 * cannot be written, because the file was truncated or the device is gone.
 */
interface SegmentStorage extends AutoCloseable {
  /**
   * Stores a frame.
   *
   * @param at where it begins
   * @param frameBytes bytes to its end, padding included, a multiple of 8
   * @param head the first bytes of the frame
   * @param operations array that holds the remaining bytes of the frame
   * @param offset where they begin in the array
   * @param length their length; zeros follow up to the end of the frame
   */
  void storeFrame(int at, int frameBytes, byte[] head, byte[] operations, int offset, int length);

  /** Overwrites the file's first bytes. */
  void storeHeader(byte[] header);

  /** Stores the mark of the segment, eight bytes at a multiple of eight, atomically. */
  void storeMark(int at, byte[] mark);

  /** Makes the bytes between two offsets durable. */
  void sync(int from, int to);

  /** Prepares all pages, so that the first store into each of them is fast. */
  void warmUp();

  /** Closes the storage. No thread may store into it any more. */
  @Override
  void close();
}
