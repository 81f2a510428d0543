package io.sifr.internal.memtable;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.EntryTree.NodeArena;
import io.sifr.internal.memtable.EntryTree.OrderWord;

/**
 * Inserts entries into an {@link EntryTree}. One thread at a time; readers may run concurrently:
 * every step that they can see is one store, of an order word or of the root, that leads from one
 * complete state to the next.
 */
final class TreeWriter {
  /** An inner node with at most this many children left is rewritten rather than split. */
  private static final int FEW_CHILDREN = 10;

  /**
   * After shrinking this many times, the common prefix is set to empty. In the worst case it would
   * shrink by one byte with every entry, and each time the edges of the tree are rewritten.
   */
  private static final int MAX_NARROWINGS = 32;

  /**
   * Above the largest possible height of the tree: every inner node but the last of its level has
   * six children or more.
   */
  private static final int MAX_HEIGHT = 16;

  /**
   * After that many entries in a row that belong into other leaves than the one before each, only
   * one in as many is tried there first.
   */
  private static final int STRANGERS = 8;

  private static final int NONE = EntryArena.NONE;

  private final EntryTree tree;
  private final EntryArena entries;
  private final NodeArena nodes;

  // The path to the leaf of the last entry, from the root down; pathHeight is 0 when it is unknown.
  private final int[] pathNodes = new int[MAX_HEIGHT];
  private final int[] pathRanks = new int[MAX_HEIGHT];
  private int pathHeight;
  private int lastEntry = NONE;

  /**
   * Entries since one belonged into the leaf of the one before; from 2 * STRANGERS back to
   * STRANGERS.
   */
  private int strangers;

  private final int[] gathered = new int[OrderWord.SLOTS + 1];

  /** Of entries that are gathered, the bytes that their leaf has of each after its skip. */
  private final long[] gatheredPrefixes = new long[OrderWord.SLOTS + 1];

  /** That skip. */
  private int gatheredSkip;

  private int narrowings;

  /** True if nodes know the newest entry below them. */
  private boolean isTracking;

  /** The largest number of those that were inserted since. */
  private long sequence;

  TreeWriter(EntryTree tree) {
    this.tree = tree;
    this.entries = tree.entries;
    this.nodes = tree.nodes;
  }

  /**
   * Allocates all memory that the next {@link #insert} can need, so that it cannot fail halfway.
   */
  void reserve() {
    int height = EntryTree.height(tree.root());
    nodes.reserve(4 * height + 1);
    if (isTracking) {
      nodes.reserveTracked();
    }
  }

  /**
   * From now on nodes know the newest entry below them.
   *
   * @param largest the largest sequence number so far
   */
  void track(long largest) {
    if (!isTracking) {
      isTracking = true;
      nodes.track(largest);
    }
  }

  /** Inserts an entry. Requires {@link #reserve}. */
  void insert(int entry) {
    long root = tree.root();
    byte[] array = entries.array(entry);
    int offset = EntryArena.offset(entry);
    int keyLength = EntryArena.keyLength(array, offset);
    long trailer = EntryArena.trailer(array, offset);
    if (isTracking) {
      sequence = Math.max(sequence, Trailer.sequence(trailer));
    }
    if (EntryTree.height(root) == 0) {
      tree.setSample(entry);
      gatherOnly(entry);
      tree.setRoot(newLeaf(0, 1, NONE, NONE, keyLength), 1, keyLength);
      return;
    }
    int common = tree.commonWith(entry, root);
    if (common < EntryTree.common(root)) {
      narrow(root, common);
    }
    int keyOffset = EntryArena.keyOffset(entry);
    // With random keys an entry hardly ever belongs there, and each try waits for memory.
    boolean isTried = strangers < STRANGERS || strangers == 2 * STRANGERS;
    strangers = strangers == 2 * STRANGERS ? STRANGERS : strangers + 1;
    if (isTried && staysInLeaf(array, keyOffset, keyLength, trailer, common)) {
      strangers = 0;
    } else {
      descend(array, keyOffset, keyLength, trailer);
    }
    if (isTracking) {
      raisePath();
    }
    int leaf = pathNodes[pathHeight - 1];
    long order = nodes.order(leaf);
    int rank = tree.entryRank(leaf, order, array, keyOffset, keyLength, trailer);
    int slot = OrderWord.used(order);
    if (slot < OrderWord.SLOTS) {
      nodes.fill(leaf, slot, prefix(entry, nodes.skip(leaf)), entry);
      nodes.publish(leaf, OrderWord.insert(order, rank));
    } else {
      splitLeaf(leaf, order, rank, entry);
      pathHeight = 0;
    }
    lastEntry = entry;
  }

  /**
   * Whether the key belongs into the leaf of the last entry, as it nearly always does in an
   * ascending load.
   */
  private boolean staysInLeaf(byte[] key, int offset, int length, long trailer, int common) {
    if (pathHeight == 0) {
      return false;
    }
    int leaf = pathNodes[pathHeight - 1];
    if (entries.compare(lastEntry, key, offset, length, trailer, common) < 0) {
      int high = nodes.high(leaf);
      return high == NONE || entries.compare(high, key, offset, length, trailer, common) > 0;
    }
    int low = nodes.low(leaf);
    return low == NONE || entries.compare(low, key, offset, length, trailer, common) <= 0;
  }

  private void descend(byte[] key, int offset, int length, long trailer) {
    long root = tree.root();
    int node = EntryTree.node(root);
    pathHeight = EntryTree.height(root);
    for (int level = 0; level < pathHeight - 1; level++) {
      long order = nodes.order(node);
      int rank = tree.childRank(node, order, key, offset, length, trailer);
      pathNodes[level] = node;
      pathRanks[level] = rank;
      node = nodes.child(node, OrderWord.slot(order, rank));
    }
    pathNodes[pathHeight - 1] = node;
  }

  /** Before the entry can be seen. Nodes that are created for it know of it as well. */
  private void raisePath() {
    for (int level = 0; level < pathHeight; level++) {
      nodes.raise(pathNodes[level], sequence);
    }
  }

  private int create(int skip, int low, int high) {
    int node = nodes.create(skip, low, high);
    if (isTracking) {
      nodes.raise(node, sequence);
    }
    return node;
  }

  private void splitLeaf(int leaf, long order, int rank, int entry) {
    int parent = pathHeight - 2;
    int low = nodes.low(leaf);
    int high = nodes.high(leaf);
    int last = OrderWord.SLOTS - 1;
    int common = EntryTree.common(tree.root());
    if (rank == OrderWord.SLOTS && OrderWord.slot(order, last) == last) {
      // The newest entry is the last one, and this one comes after it: so an ascending load fills
      // its leaves completely.
      gatherOnly(entry);
      nodes.setHigh(leaf, entry);
      changeChild(parent, leaf, newLeaf(0, 1, entry, high, common));
      return;
    }
    gather(leaf, order, rank, entry);
    boolean descending = rank == 0 && OrderWord.slot(order, 0) == last;
    int middle = descending ? 1 : (OrderWord.SLOTS + 1) / 2;
    int separator = gathered[middle];
    int right = newLeaf(middle, OrderWord.SLOTS + 1, separator, high, common);
    changeChild(parent, newLeaf(0, middle, low, separator, common), right);
  }

  /**
   * In the node at {@code level} of the path, replaces the child that the path leads to by {@code
   * left}, followed by {@code right} unless that is NONE. {@code left} may be that child itself.
   */
  private void changeChild(int level, int left, int right) {
    if (level < 0) {
      changeRoot(left, right);
      return;
    }
    int node = pathNodes[level];
    int rank = pathRanks[level];
    long order = nodes.order(node);
    boolean leftStays = nodes.child(node, OrderWord.slot(order, rank)) == left;
    int wanted = (leftStays ? 0 : 1) + (right == NONE ? 0 : 1);
    if (OrderWord.used(order) + wanted <= OrderWord.SLOTS) {
      if (!leftStays) {
        fillInner(node, OrderWord.used(order), left);
        order = OrderWord.replace(order, rank);
      }
      if (right != NONE) {
        fillInner(node, OrderWord.used(order), right);
        order = OrderWord.insert(order, rank + 1);
      }
      nodes.publish(node, order);
      return;
    }
    int low = nodes.low(node);
    int high = nodes.high(node);
    int common = EntryTree.common(tree.root());
    if (leftStays && rank == OrderWord.SLOTS - 1) {
      // The node is full and the new child comes last: again an ascending load.
      gathered[0] = right;
      nodes.setHigh(node, nodes.low(right));
      changeChild(level - 1, node, newInner(0, 1, nodes.low(right), high, common));
      return;
    }
    int count = gatherChildren(node, order, rank, left, right);
    if (count <= FEW_CHILDREN) {
      changeChild(level - 1, newInner(0, count, low, high, common), NONE);
    } else {
      int middle = count / 2;
      int separator = nodes.low(gathered[middle]);
      int upper = newInner(middle, count, separator, high, common);
      changeChild(level - 1, newInner(0, middle, low, separator, common), upper);
    }
  }

  private void changeRoot(int left, int right) {
    long root = tree.root();
    int height = EntryTree.height(root);
    int common = EntryTree.common(root);
    if (right == NONE) {
      tree.setRoot(left, height, common);
    } else {
      gathered[0] = left;
      gathered[1] = right;
      tree.setRoot(newInner(0, 2, NONE, NONE, common), height + 1, common);
    }
  }

  /**
   * All keys now share fewer bytes: rewrites the nodes on the two edges of the tree, whose skip is
   * that number.
   */
  private void narrow(long root, int common) {
    narrowings++;
    int next = narrowings > MAX_NARROWINGS ? 0 : common;
    int height = EntryTree.height(root);
    int node = rewriteEdge(EntryTree.node(root), height, next, true, true);
    tree.setRoot(node, height, next);
    pathHeight = 0;
  }

  private int rewriteEdge(int node, int height, int common, boolean isFirst, boolean isLast) {
    long order = nodes.order(node);
    int count = OrderWord.count(order);
    int low = nodes.low(node);
    int high = nodes.high(node);
    if (height == 1) {
      gather(node, order, count, NONE);
      return newLeaf(0, count, low, high, common);
    }
    int first = nodes.child(node, OrderWord.slot(order, 0));
    int last = nodes.child(node, OrderWord.slot(order, count - 1));
    int newFirst = first;
    int newLast = last;
    if (isFirst) {
      newFirst = rewriteEdge(first, height - 1, common, true, isLast && count == 1);
    }
    if (isLast && (count > 1 || !isFirst)) {
      newLast = rewriteEdge(last, height - 1, common, false, true);
    }
    gatherChildren(node, order, count - 1, newLast, NONE);
    if (isFirst) {
      gathered[0] = newFirst;
    }
    return newInner(0, count, low, high, common);
  }

  private void gatherOnly(int entry) {
    gathered[0] = entry;
    gatheredSkip = NONE;
  }

  /** Collects a leaf's entries in order, with one more at {@code rank}. */
  private void gather(int leaf, long order, int rank, int entry) {
    long[] longs = nodes.longs(leaf);
    int base = nodes.base(leaf);
    int count = OrderWord.count(order);
    for (int i = 0; i < count; i++) {
      int slot = OrderWord.slot(order, i);
      int to = i < rank ? i : i + 1;
      gathered[to] = nodes.child(leaf, slot);
      gatheredPrefixes[to] = NodeArena.prefix(longs, base, slot);
    }
    gatheredSkip = nodes.skip(leaf);
    gathered[rank] = entry;
    if (entry != NONE) {
      gatheredPrefixes[rank] = prefix(entry, gatheredSkip);
    }
  }

  /**
   * Collects a node's children in order, with the one at {@code rank} replaced as in {@link
   * #changeChild}.
   */
  private int gatherChildren(int node, long order, int rank, int left, int right) {
    int count = OrderWord.count(order);
    int to = 0;
    for (int i = 0; i < count; i++) {
      gathered[to++] = i == rank ? left : nodes.child(node, OrderWord.slot(order, i));
      if (i == rank && right != NONE) {
        gathered[to++] = right;
      }
    }
    return to;
  }

  /** Creates a leaf of the collected entries from {@code from} to {@code to}. */
  private int newLeaf(int from, int to, int low, int high, int common) {
    int skip = skip(low, high, common);
    int leaf = create(skip, low, high);
    for (int i = from; i < to; i++) {
      int entry = gathered[i];
      // Where the skip is the same, the entries, which may be far away, are not needed.
      long prefix = skip == gatheredSkip ? gatheredPrefixes[i] : prefix(entry, skip);
      nodes.fill(leaf, i - from, prefix, entry);
    }
    nodes.publish(leaf, OrderWord.ascending(to - from));
    return leaf;
  }

  /** Creates an inner node of the collected children from {@code from} to {@code to}. */
  private int newInner(int from, int to, int low, int high, int common) {
    int node = create(skip(low, high, common), low, high);
    for (int i = from; i < to; i++) {
      fillInner(node, i - from, gathered[i]);
    }
    nodes.publish(node, OrderWord.ascending(to - from));
    return node;
  }

  private void fillInner(int node, int slot, int child) {
    int low = nodes.low(child);
    // Only the first child of a node on the left edge has no low entry, and the first child's key
    // is never compared.
    nodes.fill(node, slot, low == NONE ? Long.MIN_VALUE : prefix(low, nodes.skip(node)), child);
  }

  private int skip(int low, int high, int common) {
    return low == NONE || high == NONE ? common : entries.commonPrefix(low, high);
  }

  private long prefix(int entry, int skip) {
    return NodeArena.flip(entries.prefix(entry, skip));
  }
}
