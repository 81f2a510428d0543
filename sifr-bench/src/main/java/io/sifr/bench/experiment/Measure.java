package io.sifr.bench.experiment;

/** The unit of a figure, from which follows the better one of two. */
enum Measure {
  /** Operations in a time. */
  RATE(true, true),
  /** Time for an operation. */
  TIME(false, true),
  /** Bytes, files or trees: the same however fast the machine is. */
  AMOUNT(false, false);

  private final boolean moreIsBetter;
  private final boolean ofTime;

  Measure(boolean moreIsBetter, boolean ofTime) {
    this.moreIsBetter = moreIsBetter;
    this.ofTime = ofTime;
  }

  /** Whether it depends on how fast the machine is. */
  boolean isOfTime() {
    return ofTime;
  }

  /** By what factor another figure is better than one; below 1 if it is worse. */
  double lead(double other, double one) {
    return moreIsBetter ? other / one : one / other;
  }
}
