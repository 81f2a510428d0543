package io.sifr.internal.wal;

import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MappingFaults;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * A segment mapped into memory: a stored frame is in the kernel's page cache without a system call.
 */
final class MappedStorage implements SegmentStorage {
  private static final int PAGE_BYTES = 4096;

  /** Offset in a frame of bytes that are not zero, unless the record is very long. */
  private static final int LOW_BYTES_OF_LENGTH = 2;

  /** Used by the appending thread. */
  private final byte[] probe = new byte[MappingFaults.PROBE_BYTES];

  private final MappedRegion region;
  private final ByteBuffer buffer;

  MappedStorage(MappedRegion region) {
    this.region = region;
    this.buffer = region.buffer();
  }

  @Override
  public void storeFrame(
      int at, int frameBytes, byte[] head, byte[] operations, int offset, int length) {
    buffer.putLong(
        at + frameBytes - Long.BYTES, 0); // the padding first; the operations overwrite part of it
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
   * Stores into each page what it contains already, so that the page fault happens here and not in
   * the writer. In a new file, an append of 150 bytes takes 81 ns without this and 69 ns with it,
   * as in a recycled file.
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
