package io.sifr.internal.compaction;

/**
 * How many SSTs of about one split unit an amount of data makes.
 *
 * <p>SSTs may exceed the split unit by an eighth and are of equal size. Filling each completely
 * instead would leave a last SST of any size after every compaction, and an SST that is rewritten
 * with one late key would be split into a full and a tiny one each time.
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
