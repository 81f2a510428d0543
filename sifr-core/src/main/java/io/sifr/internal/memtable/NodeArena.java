package io.sifr.internal.memtable;

import io.sifr.internal.memtable.EntryTree.OrderWord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The nodes of a memtable's tree in plain arrays. A node is 16 longs and 16 ints at the same index
 * of two arrays:
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
 * little, and is replaced by copies twice as large until it has that size. A reader may still be in
 * an old copy, which shows the nodes as they were: it must take the array that an order word names
 * slots of after it has read the word, not before.
 */
final class NodeArena {
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
   * At least the largest sequence number of the entries below a node that were added since they are
   * tracked; 0 if there are none. Readers look after they have read an order word that leads there.
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
