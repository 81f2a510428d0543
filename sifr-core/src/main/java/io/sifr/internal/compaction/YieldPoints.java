package io.sifr.internal.compaction;

/**
 * Calls a task's yield point every few thousand entries, about once a millisecond. Used by one
 * thread.
 */
final class YieldPoints {
  private static final int ENTRIES = 1 << 12;

  private final Runnable yieldPoint;
  private int left = ENTRIES;

  YieldPoints(Runnable yieldPoint) {
    this.yieldPoint = yieldPoint;
  }

  /** Called for every entry. */
  void entry() {
    if (--left == 0) {
      left = ENTRIES;
      yieldPoint.run();
    }
  }
}
