package io.sifr.internal.wal;

import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

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

  /**
   * A segment mapped into memory: a stored frame is in the kernel's page cache without a system
   * call.
   */
  static final class Mapped implements SegmentStorage {
    private static final int PAGE_BYTES = 4096;

    /** Offset in a frame of bytes that are not zero, unless the record is very long. */
    private static final int LOW_BYTES_OF_LENGTH = 2;

    /** Used by the appending thread. */
    private final byte[] probe = new byte[MappingFaults.PROBE_BYTES];

    private final MappedRegion region;
    private final ByteBuffer buffer;

    Mapped(MappedRegion region) {
      this.region = region;
      this.buffer = region.buffer();
    }

    @Override
    public void storeFrame(
        int at, int frameBytes, byte[] head, byte[] operations, int offset, int length) {
      buffer.putLong(
          at + frameBytes - Long.BYTES,
          0); // the padding first; the operations overwrite part of it
      buffer.put(at + head.length, operations, offset, length);
      buffer.put(at, head);
      MappingFaults.raise(buffer, at, at + frameBytes, at + LOW_BYTES_OF_LENGTH, probe);
    }

    @Override
    public void storeHeader(byte[] header) {
      buffer.put(0, header);
      MappingFaults.raise();
    }

    @Override
    public void storeMark(int at, byte[] mark) {
      buffer.putLong(at, Bytes.getLong(mark, 0));
      MappingFaults.raise();
    }

    @Override
    public void sync(int from, int to) {
      region.force(from, to - from);
    }

    /**
     * Stores into each page what it contains already, so that the page fault happens here and not
     * in the writer. In a new file, an append of 150 bytes takes 81 ns without this and 69 ns with
     * it, as in a recycled file.
     */
    @Override
    public void warmUp() {
      for (int page = 0; page < buffer.capacity(); page += PAGE_BYTES) {
        buffer.put(page, buffer.get(page));
      }
      MappingFaults.raise();
    }

    @Override
    public void close() {
      region.close();
    }
  }

  /**
   * A segment written with one system call per frame, so that every failure is thrown by the frame
   * it belongs to.
   */
  static final class Written implements SegmentStorage {
    private static final int INITIAL_FRAME_BYTES = 4 << 10;

    /** A larger frame is not assembled first but written in pieces, the head last. */
    private static final int LARGEST_COPIED_FRAME_BYTES = 256 << 10;

    private static final byte[] PADDING = new byte[Long.BYTES];

    private final RandomWriteFile file; // writes to it guarded by this
    private byte[] frame = new byte[INITIAL_FRAME_BYTES];

    Written(RandomWriteFile file) {
      this.file = file;
    }

    @Override
    public synchronized void storeFrame(
        int at, int frameBytes, byte[] head, byte[] operations, int offset, int length) {
      int padding = frameBytes - head.length - length;
      if (frameBytes > LARGEST_COPIED_FRAME_BYTES) {
        file.write(operations, offset, length, at + head.length);
        file.write(PADDING, 0, padding, at + frameBytes - padding);
        file.write(head, 0, head.length, at);
        return;
      }
      if (frame.length < frameBytes) {
        frame = new byte[Integer.highestOneBit(frameBytes) << 1];
      }
      System.arraycopy(head, 0, frame, 0, head.length);
      System.arraycopy(operations, offset, frame, head.length, length);
      System.arraycopy(PADDING, 0, frame, head.length + length, padding);
      file.write(frame, 0, frameBytes, at);
    }

    @Override
    public synchronized void storeHeader(byte[] header) {
      file.write(header, 0, header.length, 0);
    }

    @Override
    public synchronized void storeMark(int at, byte[] mark) {
      file.write(mark, 0, mark.length, at);
    }

    @Override
    public void sync(int from, int to) {
      file.sync();
    }

    /** Does nothing: writes cause no page faults. */
    @Override
    public void warmUp() {}

    @Override
    public void close() {
      file.close();
    }
  }
}
