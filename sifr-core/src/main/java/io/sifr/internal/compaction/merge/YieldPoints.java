package io.sifr.internal.compaction.merge;

/**
 * Calls a task's yield point about once a millisecond, whatever the size of its entries. Used by
 * one thread.
 */
final class YieldPoints {
  private static final int BYTES = 512 << 10;

  /** What an entry costs besides its bytes: a yield point after at most 4096 entries. */
  private static final int ENTRY_BYTES = 128;

  private final Runnable yieldPoint;
  private int left = BYTES;

  YieldPoints(Runnable yieldPoint) {
    this.yieldPoint = yieldPoint;
  }

  /** Called for every entry, with the bytes of its key and value. */
  void entry(int bytes) {
    left -= ENTRY_BYTES + bytes;
    if (left <= 0) {
      left = BYTES;
      yieldPoint.run();
    }
  }
}
