package io.sifr.bench.workload;

/**
 * A random order of the numbers 0 to {@code size - 1} that takes no memory: a Feistel network over
 * the next even number of bits, applied again while the result is out of range. Immutable; safe for
 * any thread.
 */
final class Permutation {
  private static final int ROUNDS = 4;

  private final int size;
  private final long seed;
  private final int halfBits;
  private final int halfMask;

  Permutation(int size, long seed) {
    this.size = size;
    this.seed = seed;
    int bits = Math.max(2, Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
    this.halfBits = (bits + 1) / 2;
    this.halfMask = (1 << halfBits) - 1;
  }

  /** The number at a position of the order. */
  int at(int place) {
    long number = place;
    do {
      number = scatter(number);
    } while (number >= size);
    return (int) number;
  }

  private long scatter(long number) {
    long left = number >>> halfBits;
    long right = number & halfMask;
    for (int round = 0; round < ROUNDS; round++) {
      long next = left ^ (Mixer.mix(seed + round, right) & halfMask);
      left = right;
      right = next;
    }
    return left << halfBits | right;
  }
}
