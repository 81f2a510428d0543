package io.sifr.internal.wal;

/**
 * The bytes of one segment file, all of which were really written when it was created. Frames come
 * from one thread at a time; a sync and the store of a mark may run beside them.
 *
 * <p>What stores throws an {@link InternalError} when the segment is mapped and a page of it cannot
 * be written, because the file was truncated or the device is gone.
 */
interface SegmentStorage extends AutoCloseable {
  /**
   * Stores a frame.
   *
   * @param at where it begins
   * @param frameBytes bytes to its end, padding included, a multiple of 8
   * @param head the first bytes of the frame
   * @param operations array that holds the rest of the frame
   * @param offset where the rest begins in the array
   * @param length how long it is; zeros follow up to the frame's end
   */
  void storeFrame(int at, int frameBytes, byte[] head, byte[] operations, int offset, int length);

  /** Overwrites the file's first bytes. */
  void storeHeader(byte[] header);

  /** Stores the mark of the segment, eight bytes at a multiple of eight, in one piece. */
  void storeMark(int at, byte[] mark);

  /** Makes what lies between two offsets durable. */
  void sync(int from, int to);

  /** Does beforehand what would slow down the first store into each page. */
  void warmUp();

  /** Gives the file back. Nobody may store into it any more. */
  @Override
  void close();
}
