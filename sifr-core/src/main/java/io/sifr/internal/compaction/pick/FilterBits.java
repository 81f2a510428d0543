package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;

/**
 * The bits per key that the filters of low stages have in addition to those of the last one. They
 * are checked by nearly every read, and take little memory. With f times the entries in each
 * further stage, useless reads are fewest when each stage's rate of false positives is one f-th of
 * the next one's (Monkey, SIGMOD 2017, §4.1): log2(f) / ln 2 bits, which are 2.9 for f = 4 and 4.8
 * for f = 10.
 */
final class FilterBits {
  private static final double LN_2 = Math.log(2);

  private FilterBits() {}

  /** Additional bits for SSTs of a stage, each stage being so many times as large as the last. */
  static int more(Forest forest, int stage, int factor) {
    int further = Math.max(0, forest.stageCount() - stage);
    return further * (int) Math.round(Math.log(factor) / (LN_2 * LN_2));
  }
}
