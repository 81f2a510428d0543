package io.sifr.internal.memtable;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;

/**
 * The tree of a memtable as readers see it: a B+-tree over the entries of an {@link EntryArena}
 * whose nodes lie in a {@link NodeArena}.
 *
 * <p>Key bytes are seldom read. All keys in the range of a node (from its low entry to its high
 * entry) share as many leading bytes as these two do. A node stores that number, its skip, and the
 * next eight bytes of every key. At the edges of the tree, where one bound is missing, the skip is
 * the number of bytes that all keys of the memtable share; a reader checks once whether the key it
 * seeks shares them too.
 *
 * <p>A split does not change a node but replaces it, in its parent, by new ones. A reader that is
 * still in the old node finds the entries that were there when it arrived, which is all it needs.
 */
final class EntryTree {
  private static final int HEIGHT_SHIFT = 24;
  private static final int COMMON_MASK = (1 << HEIGHT_SHIFT) - 1;

  final EntryArena entries;
  final NodeArena nodes;

  /**
   * Node 32 bits, height 8 bits (0: no node yet, 1: the root is a leaf), common prefix 24 bits.
   * They are in one word, since a reader that combined the root of one moment with the common
   * prefix of another would misread the nodes on the edges.
   */
  private volatile long root;

  /** Any entry: its leading bytes are the common prefix. Written once, before the first root. */
  private int sample = EntryArena.NONE;

  EntryTree(long capacityBytes) {
    entries = new EntryArena(capacityBytes);
    nodes = new NodeArena(capacityBytes);
  }

  /** Bytes of all arrays; for the writer. */
  long allocatedBytes() {
    return entries.allocatedBytes() + nodes.allocatedBytes();
  }

  long root() {
    return root;
  }

  static int node(long root) {
    return (int) (root >>> 32);
  }

  static int height(long root) {
    return (int) (root >>> HEIGHT_SHIFT) & 0xFF;
  }

  /** Number of leading bytes that all keys share. */
  static int common(long root) {
    return (int) root & COMMON_MASK;
  }

  /** Writer: publishes a new root. */
  void setRoot(int node, int height, int common) {
    root = (long) node << 32 | (long) height << HEIGHT_SHIFT | common;
  }

  /** Writer: sets, before there is a root, the entry that holds the common prefix. */
  void setSample(int entry) {
    sample = entry;
  }

  /**
   * Compares a key that need not share the common prefix with all keys: negative when it comes
   * before all of them, positive when after all, 0 when it shares the prefix and the nodes have to
   * be searched. Requires a root.
   */
  int compareWithCommon(long root, byte[] key, int offset, int length) {
    int common = common(root);
    byte[] array = entries.array(sample);
    int at = EntryArena.keyOffset(sample);
    return Bytes.compare(key, offset, Math.min(length, common), array, at, common);
  }

  /** Number of leading bytes that an entry's key shares with all others. */
  int commonWith(int entry, long root) {
    return Math.min(common(root), entries.commonPrefix(sample, entry));
  }

  /**
   * Rank, in an inner node's state, of the child in whose range (key, trailer) lies.
   *
   * <p>A linear search, as in {@link #entryRank}: with fourteen slots its one mispredicted branch
   * costs less than the three or four of a binary search (gets took 10 to 15 % less time).
   */
  int childRank(int node, long order, byte[] key, int offset, int length, long trailer) {
    long[] longs = nodes.longs(node);
    int base = nodes.base(node);
    int skip = NodeArena.skip(longs, base);
    long prefix = NodeArena.flip(Bytes.prefix(key, offset + skip, length - skip));
    int count = OrderWord.count(order);
    int rank = 1;
    while (rank < count) {
      int slot = OrderWord.slot(order, rank);
      long other = NodeArena.prefix(longs, base, slot);
      if (other > prefix
          || (other == prefix
              && entries.compare(
                      nodes.low(nodes.child(node, slot)), key, offset, length, trailer, skip)
                  > 0)) {
        break;
      }
      rank++;
    }
    return rank - 1;
  }

  /**
   * Rank, in a leaf's state, of the first entry at or after (key, trailer); the count when there is
   * none.
   */
  int entryRank(int leaf, long order, byte[] key, int offset, int length, long trailer) {
    long[] longs = nodes.longs(leaf);
    int base = nodes.base(leaf);
    int skip = NodeArena.skip(longs, base);
    long prefix = NodeArena.flip(Bytes.prefix(key, offset + skip, length - skip));
    int count = OrderWord.count(order);
    int rank = 0;
    while (rank < count) {
      int slot = OrderWord.slot(order, rank);
      long other = NodeArena.prefix(longs, base, slot);
      if (other > prefix
          || (other == prefix
              && entries.compare(nodes.child(leaf, slot), key, offset, length, trailer, skip)
                  >= 0)) {
        break;
      }
      rank++;
    }
    return rank;
  }

  /** See {@link Memtable#get}. */
  boolean get(byte[] key, int offset, int length, long maxSequence, Lookup into) {
    int entry = firstAtOrAfter(key, offset, length, Trailer.seek(maxSequence));
    if (entry == EntryArena.NONE || !entries.hasKey(entry, key, offset, length)) {
      return false;
    }
    byte[] array = entries.array(entry);
    int at = EntryArena.offset(entry);
    into.set(
        array,
        at + EntryArena.HEADER_BYTES + length,
        EntryArena.valueLength(array, at),
        EntryArena.trailer(array, at));
    return true;
  }

  /**
   * The first entry at or after (key, trailer), or NONE; NONE also when it is known, without
   * reading the entry, that its key is another.
   */
  private int firstAtOrAfter(byte[] key, int offset, int length, long trailer) {
    long top = root;
    if (height(top) == 0 || compareWithCommon(top, key, offset, length) != 0) {
      return EntryArena.NONE;
    }
    int node = node(top);
    int successor = EntryArena.NONE;
    for (int height = height(top); height > 1; height--) {
      long order = nodes.order(node);
      int rank = childRank(node, order, key, offset, length, trailer);
      if (rank + 1 < OrderWord.count(order)) {
        successor = nodes.child(node, OrderWord.slot(order, rank + 1));
      }
      node = nodes.child(node, OrderWord.slot(order, rank));
    }
    long order = nodes.order(node);
    int rank = entryRank(node, order, key, offset, length, trailer);
    if (rank == OrderWord.count(order)) {
      // The next leaf begins with its low entry, which may be an older version of the same key.
      return successor == EntryArena.NONE ? EntryArena.NONE : nodes.low(successor);
    }
    int slot = OrderWord.slot(order, rank);
    long[] longs = nodes.longs(node);
    int base = nodes.base(node);
    int skip = NodeArena.skip(longs, base);
    long prefix = NodeArena.flip(Bytes.prefix(key, offset + skip, length - skip));
    return NodeArena.prefix(longs, base, slot) == prefix
        ? nodes.child(node, slot)
        : EntryArena.NONE;
  }

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
  static final class OrderWord {
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
     * The word after inserting the first free slot at {@code rank}, which moves the slots from
     * there on up by one.
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
}
