package io.sifr.bench.workload;

/** Deterministic pseudo-random mixing of numbers. */
final class Mixer {
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private Mixer() {}

  /** A pseudo-random number derived from two others. */
  static long mix(long a, long b) {
    return finish(finish(a + GOLDEN_GAMMA) ^ b);
  }

  /** The next of a sequence of such numbers. */
  static long next(long state) {
    return finish(state + GOLDEN_GAMMA);
  }

  /** The finalizer of SplitMix64: every bit of the input changes half of the output. */
  private static long finish(long z) {
    long first = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    long second = (first ^ (first >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return second ^ (second >>> 31);
  }
}
