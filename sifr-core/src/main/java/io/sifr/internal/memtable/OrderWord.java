package io.sifr.internal.memtable;

/**
 * The state of a node in one long: which of its slots are in use, in which order.
 *
 * <pre>
 *   bits 0-3   number of children (or entries) in order, 0 to 14
 *   bits 4-7   number of slots ever written; the slots from here on are free
 *   bits 8-63  14 groups of four bits: the slot of the first in order, of the second, …
 * </pre>
 *
 * A slot is written once, before the word that names it is published, and never again. So a word,
 * once read, describes a state of the node that stays readable forever, and one store of a word
 * replaces one state by the next: readers need no lock and never see half an insertion. (The
 * permutation word of Masstree, without its versions.)
 */
final class OrderWord {
  /** Slots of a node: as many four-bit numbers as fit into the word besides the two counts. */
  static final int SLOTS = 14;

  private static final int FIRST_SHIFT = 8;

  private OrderWord() {}

  /** The word of a node whose first {@code count} slots are in order. */
  static long ascending(int count) {
    long order = (long) count << 4 | count;
    for (int rank = 0; rank < count; rank++) {
      order |= (long) rank << shift(rank);
    }
    return order;
  }

  private static int shift(int rank) {
    return FIRST_SHIFT + 4 * rank;
  }

  /** Number of children or entries. */
  static int count(long order) {
    return (int) order & 0xF;
  }

  /** Number of the first free slot, {@link #SLOTS} when there is none. */
  static int used(long order) {
    return (int) (order >>> 4) & 0xF;
  }

  /** Slot of the child or entry at {@code rank}. */
  static int slot(long order, int rank) {
    return (int) (order >>> shift(rank)) & 0xF;
  }

  /**
   * The word after inserting the first free slot at {@code rank}, which moves the slots from there
   * on up by one.
   */
  static long insert(long order, int rank) {
    int shift = shift(rank);
    long before = (1L << shift) - 1;
    long slot = used(order);
    return ((order & before) | slot << shift | (order & ~before) << 4) + 0x11;
  }

  /** The word after replacing the slot at {@code rank} by the first free slot. */
  static long replace(long order, int rank) {
    int shift = shift(rank);
    long slot = used(order);
    return ((order & ~(0xFL << shift)) | slot << shift) + 0x10;
  }
}
