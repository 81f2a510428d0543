package io.sifr.internal.compaction.cut;

/**
 * Divides an amount of data into SSTs of about a target size.
 *
 * <p>SSTs may exceed the target by an eighth and are of equal size. Filling each completely instead
 * would leave a last SST of any size after every compaction, and an SST that is rewritten with one
 * late key would be split into a full and a tiny one each time.
 */
final class EvenSplit {

  private EvenSplit() {}

  /** The number of SSTs for {@code bytes} of data, at least 1. */
  static long pieces(long bytes, long targetBytes) {
    long largest = targetBytes + targetBytes / 8;
    return Math.max(1, (bytes + largest - 1) / largest);
  }
}
