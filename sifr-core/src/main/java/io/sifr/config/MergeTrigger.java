package io.sifr.config;

/** When the trees of a stage are merged into one tree of the next. */
public enum MergeTrigger {
  /**
   * As soon as the stage holds as many trees as the growth factor: fewer trees to search, the
   * better default for reads.
   */
  EAGER,
  /**
   * When the stage holds one tree more than that, as in the papers' own program: 6–7 % fewer bytes
   * written, half as many trees again to search.
   */
  LAZY
}
