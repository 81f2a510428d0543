package io.sifr.internal.wal;

import io.sifr.internal.io.RandomWriteFile;

/**
 * A segment written with one system call per frame, so that every failure is thrown by the frame it
 * belongs to.
 */
final class WrittenStorage implements SegmentStorage {
  private static final int INITIAL_FRAME_BYTES = 4 << 10;

  /** A larger frame is not assembled first but written in pieces, the head last. */
  private static final int LARGEST_COPIED_FRAME_BYTES = 256 << 10;

  private static final byte[] PADDING = new byte[Long.BYTES];

  private final RandomWriteFile file; // writes to it guarded by this
  private byte[] frame = new byte[INITIAL_FRAME_BYTES];

  WrittenStorage(RandomWriteFile file) {
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
