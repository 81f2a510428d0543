package io.sifr.internal.compaction;

/**
 * How many SSTs of about one split unit a stretch of data makes.
 *
 * <p>SSTs may exceed the split unit by an eighth and are of equal size. Filling each to the brim
 * instead would leave a remainder of any size behind every merge, and an SST that meets one late
 * key would break into a full one and a dwarf each time it is rewritten.
 */
final class EvenSplit {

  private EvenSplit() {}

  /** The number of SSTs for {@code bytes} of data, at least 1. */
  static long pieces(long bytes, long splitUnitBytes) {
    long largest = splitUnitBytes + splitUnitBytes / 8;
    return Math.max(1, (bytes + largest - 1) / largest);
  }

  static void checkSplitUnit(long splitUnitBytes) {
    if (splitUnitBytes < 1) {
      throw new IllegalArgumentException(
          "splitUnitBytes is " + splitUnitBytes + "; allowed: 1 and above");
    }
  }
}
