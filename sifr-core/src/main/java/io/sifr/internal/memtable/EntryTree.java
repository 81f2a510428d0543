package io.sifr.internal.memtable;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.EntryTree.OrderWord;
import io.sifr.internal.util.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

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

  /**
   * The nodes of a memtable's tree in plain arrays. A node is 16 longs and 16 ints at the same
   * index of two arrays:
   *
   * <pre>
   *   longs  0      order word ({@link OrderWord}), read with acquire and written with release
   *          1      skip: leading bytes that all keys in the node's range share
   *          2-15   per slot: eight bytes of the key after skip, sign bit flipped, so that signed comparison orders them
   *   ints   0-13   per slot: an entry (leaf) or a node (inner node)
   *          14     low: the first entry of the node's range, which is also its first entry ever; NONE on the left edge
   *          15     high: the first entry after the node's range; NONE on the right edge; for the writer only
   * </pre>
   *
   * In an inner node, the key of a slot is that of the child's low entry, which thus serves as the
   * separator; the slot at rank 0 needs none.
   *
   * <p>Everything except the order word and high is written before the node is published and not
   * changed afterwards, so a reader that has read an order word may read everything below the slots
   * it names. One writer at a time.
   *
   * <p>The arrays are chunks of equal size. Only the first begins small, for memtables that hold
   * little, and is replaced by copies twice as large until it has that size. A reader may still be
   * in an old copy, which shows the nodes as they were: it must take the array that an order word
   * names slots of after it has read the word, not before.
   */
  static final class NodeArena {
    /** Bytes of a node. */
    static final int NODE_BYTES = 16 * (Long.BYTES + Integer.BYTES);

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int STRIDE_SHIFT = 4;
    private static final int SKIP = 1;
    private static final int PREFIXES = 2;
    private static final int LOW = 14;
    private static final int HIGH = 15;
    private static final int MAX_CHUNK_SHIFT = 9;
    private static final int MIN_CHUNK_SHIFT = 4;
    private static final int FIRST_NODES = 8;

    private final int chunkShift;
    private final int chunkMask;
    // Volatile: a reader that loads a newer table must find it filled.
    private volatile long[][] longs = {};
    private volatile int[][] ints = {};

    /** For how many nodes there is memory. */
    private int capacity;

    private int nodeCount;

    /**
     * Per node, once they are tracked, the largest sequence number that was added below it since
     * then; 0 for nodes beyond its length. Volatile: a reader that loads a longer one must find it
     * filled.
     */
    private volatile long[] newest = {};

    /** The largest sequence number that was added before. */
    private volatile long trackedAfter = Long.MAX_VALUE;

    /** Bytes a node takes with what is tracked of it. */
    private int nodeBytes = NODE_BYTES;

    NodeArena(long capacityBytes) {
      int wanted = Long.SIZE - Long.numberOfLeadingZeros(capacityBytes >>> 12);
      chunkShift = Math.max(MIN_CHUNK_SHIFT, Math.min(MAX_CHUNK_SHIFT, wanted));
      chunkMask = (1 << chunkShift) - 1;
    }

    /** Allocates the memory for the next {@code nodes} calls of {@link #create}. */
    void reserve(int nodes) {
      while (nodeCount + nodes > capacity) {
        grow();
      }
    }

    /**
     * From now on {@link #raise} is called; until the next {@link #reserveTracked} it takes none.
     *
     * @param sequence the largest sequence number so far
     */
    void track(long sequence) {
      nodeBytes = NODE_BYTES + Long.BYTES;
      trackedAfter = sequence;
    }

    /** Nothing is known of entries with sequence numbers up to that one. */
    long trackedAfter() {
      return trackedAfter;
    }

    /** Allocates what is tracked of all nodes for which there is memory. */
    void reserveTracked() {
      if (newest.length < capacity) {
        newest = Arrays.copyOf(newest, Math.max(capacity, newest.length * 3 / 2));
      }
    }

    /** Notes that no entry below a node has a larger sequence number than that. */
    void raise(int node, long sequence) {
      LONGS.setRelease(newest, node, sequence);
    }

    /**
     * At least the largest sequence number of the entries below a node that were added since they
     * are tracked; 0 if there are none. Readers look after they have read an order word that leads
     * there.
     */
    long newest(int node) {
      long[] known = newest;
      return node < known.length ? (long) LONGS.getAcquire(known, node) : 0;
    }

    /** Adds a chunk, or replaces the first one by a larger copy as long as it is small. */
    private void grow() {
      int chunk = capacity >>> chunkShift;
      int nodes = Math.min(Math.max(FIRST_NODES, 2 * capacity), chunkMask + 1);
      int length = nodes << STRIDE_SHIFT;
      // In tables of their own: a reader that finds an array there also sees what it holds.
      long[][] longTable = Arrays.copyOf(longs, chunk + 1);
      int[][] intTable = Arrays.copyOf(ints, chunk + 1);
      boolean isNew = longTable[chunk] == null;
      longTable[chunk] = isNew ? new long[length] : Arrays.copyOf(longTable[chunk], length);
      intTable[chunk] = isNew ? new int[length] : Arrays.copyOf(intTable[chunk], length);
      longs = longTable;
      ints = intTable;
      capacity = (chunk << chunkShift) + nodes;
    }

    /** Bytes of all arrays; for the writer. */
    long allocatedBytes() {
      return (long) capacity * nodeBytes;
    }

    /** Creates a node without children. Requires {@link #reserve}. */
    int create(int skip, int low, int high) {
      int node = nodeCount++;
      int base = base(node);
      longs(node)[base + SKIP] = skip;
      int[] nodeInts = ints(node);
      nodeInts[base + LOW] = low;
      nodeInts[base + HIGH] = high;
      return node;
    }

    /** Number of nodes created so far, including those no longer part of the tree. */
    int nodeCount() {
      return nodeCount;
    }

    /** Array of the node's longs. */
    long[] longs(int node) {
      return longs[node >>> chunkShift];
    }

    /** Array of the node's ints. */
    int[] ints(int node) {
      return ints[node >>> chunkShift];
    }

    /** Offset of the node in both arrays. */
    int base(int node) {
      return (node & chunkMask) << STRIDE_SHIFT;
    }

    /** The node's order word. */
    long order(int node) {
      return order(longs(node), base(node));
    }

    /** The order word of the node at {@code base}. */
    static long order(long[] longs, int base) {
      return (long) LONGS.getAcquire(longs, base);
    }

    /** Publishes a new state of the node, with all slots it names, to readers. */
    void publish(int node, long order) {
      LONGS.setRelease(longs(node), base(node), order);
    }

    /** The skip of the node at {@code base}. */
    static int skip(long[] longs, int base) {
      return (int) longs[base + SKIP];
    }

    /** The key bytes of a slot, as {@link #flip} made them. */
    static long prefix(long[] longs, int base, int slot) {
      return longs[base + PREFIXES + slot];
    }

    /** Flips the sign bit, which turns unsigned order into signed order. */
    static long flip(long prefix) {
      return prefix ^ Long.MIN_VALUE;
    }

    /** The content of a slot: an entry or a node. */
    int child(int node, int slot) {
      return ints(node)[base(node) + slot];
    }

    /** Fills a free slot; readers see it with the next order word. */
    void fill(int node, int slot, long flippedPrefix, int child) {
      int base = base(node);
      longs(node)[base + PREFIXES + slot] = flippedPrefix;
      ints(node)[base + slot] = child;
    }

    int low(int node) {
      return ints(node)[base(node) + LOW];
    }

    int high(int node) {
      return ints(node)[base(node) + HIGH];
    }

    void setHigh(int node, int high) {
      ints(node)[base(node) + HIGH] = high;
    }

    int skip(int node) {
      return skip(longs(node), base(node));
    }
  }
}
