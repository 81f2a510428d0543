package io.sifr.internal.cache;

/**
 * Distinguishes what has been read before not long ago from what was not: the doorkeeper of TinyLFU
 * (Einziger, Friedman, Manes, 2017). To keep what is read once costs an eviction, and memory that
 * is in no cache of the processor, for nothing.
 *
 * <p>Remembers as many hash codes as it has slots, each until another one takes its slot.
 * Thread-safe without a word that is written in turns: an entry that is lost in a race costs one
 * more read.
 */
final class Doorkeeper {
  private static final int GOLDEN = 0x9E3779B9;

  private final int[] last;
  private final int shift;

  /**
   * Has seen nothing.
   *
   * @param slots how many hash codes to remember, at least
   */
  Doorkeeper(long slots) {
    int bits = 64 - Long.numberOfLeadingZeros(Math.min(1 << 24, Math.max(2, slots)) - 1);
    last = new int[1 << bits];
    shift = Integer.SIZE - bits;
  }

  /** Whether that was seen lately. It is now. */
  boolean knows(int hash) {
    int mixed = hash * GOLDEN; // one to one: hash codes that share a slot still differ
    int slot = mixed >>> shift;
    if (last[slot] == mixed) {
      return true;
    }
    last[slot] = mixed;
    return false;
  }
}
