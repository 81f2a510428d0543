package io.sifr.internal.compaction;

/** Lets a task breathe every few thousand entries, about once a millisecond. Used by one thread. */
final class Breathing {
  private static final int ENTRIES = 1 << 12;

  private final Runnable breather;
  private int left = ENTRIES;

  Breathing(Runnable breather) {
    this.breather = breather;
  }

  /** Called for every entry. */
  void entry() {
    if (--left == 0) {
      left = ENTRIES;
      breather.run();
    }
  }
}
