package io.sifr.internal.memtable;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.EntryTree.NodeArena;
import io.sifr.internal.memtable.EntryTree.OrderWord;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the leaves of an {@link EntryTree}, using the states of the nodes it read on its
 * way down. A state, once read, never changes, so the iteration needs no links between leaves and
 * reads no state twice.
 */
final class MemtableIterator implements EntryIterator {
  private final EntryTree tree;
  private final EntryArena entries;
  private final NodeArena nodes;

  // From the root down to the leaf: the node, its state when it was read, and the current rank in
  // it.
  private int[] pathNodes = {};
  private long[] pathOrders = {};
  private int[] pathRanks = {};
  private int leafLevel;

  // The same for the leaf, in fields.
  private int[] leafChildren = {};
  private int leafBase;
  private long leafOrder;
  private int leafRank;

  private boolean valid;
  private byte[] array = Bytes.EMPTY;
  private int offset;

  MemtableIterator(EntryTree tree) {
    this.tree = tree;
    this.entries = tree.entries;
    this.nodes = tree.nodes;
  }

  @Override
  public boolean seekToFirst() {
    return enter(tree.root()) && setPosition(descend(0, false));
  }

  @Override
  public boolean seekToLast() {
    return enter(tree.root()) && setPosition(descend(0, true));
  }

  @Override
  public boolean seek(byte[] key, int keyOffset, int length, long trailer) {
    long root = tree.root();
    if (!enter(root)) {
      return false;
    }
    int side = tree.compareWithCommon(root, key, keyOffset, length);
    if (side != 0) {
      return side < 0 ? setPosition(descend(0, false)) : invalidate();
    }
    find(key, keyOffset, length, trailer);
    return leafRank < OrderWord.count(leafOrder) ? setPosition(true) : setPosition(moveToLeaf(1));
  }

  @Override
  public boolean seekBefore(byte[] key, int keyOffset, int length) {
    long root = tree.root();
    if (!enter(root)) {
      return false;
    }
    int side = tree.compareWithCommon(root, key, keyOffset, length);
    if (side != 0) {
      return side > 0 ? setPosition(descend(0, true)) : invalidate();
    }
    find(key, keyOffset, length, Long.MAX_VALUE);
    leafRank--;
    return leafRank >= 0 ? setPosition(true) : setPosition(moveToLeaf(-1));
  }

  @Override
  public boolean next() {
    leafRank++;
    return setPosition(leafRank < OrderWord.count(leafOrder) || moveToLeaf(1));
  }

  @Override
  public boolean previous() {
    leafRank--;
    return setPosition(leafRank >= 0 || moveToLeaf(-1));
  }

  /** Entries from the current one to the last of its leaf. */
  int leftInLeaf() {
    return OrderWord.count(leafOrder) - leafRank;
  }

  /** Moves to the first entry of the next leaf. */
  boolean nextLeaf() {
    return setPosition(moveToLeaf(1));
  }

  @Override
  public boolean nextFrom(long sequence, byte @Nullable [] to) {
    if (!isTracked(sequence) || nodes.newest(pathNodes[leafLevel]) >= sequence) {
      return next();
    }
    if (setPosition(moveToNewer(1, sequence))
        && (to == null || Bytes.compare(array, keyOffset(), keyLength(), to, 0, to.length) < 0)) {
      return true;
    }
    return to == null ? invalidate() : seek(to, 0, to.length, Trailer.seek(Trailer.MAX_SEQUENCE));
  }

  @Override
  public boolean previousFrom(long sequence, byte[] from) {
    if (!isTracked(sequence) || nodes.newest(pathNodes[leafLevel]) >= sequence) {
      return previous();
    }
    return (setPosition(moveToNewer(-1, sequence))
            && Bytes.compare(array, keyOffset(), keyLength(), from, 0, from.length) >= 0)
        || seekBefore(from, 0, from.length);
  }

  /**
   * Whether nodes know if there is an entry below them with that sequence number or a larger one.
   */
  private boolean isTracked(long sequence) {
    return sequence > nodes.trackedAfter();
  }

  /** Starts a descent at that root; false when there is none. */
  private boolean enter(long root) {
    int height = EntryTree.height(root);
    if (height == 0) {
      return invalidate();
    }
    if (pathNodes.length < height) {
      pathNodes = new int[height];
      pathOrders = new long[height];
      pathRanks = new int[height];
    }
    leafLevel = height - 1;
    pathNodes[0] = EntryTree.node(root);
    return true;
  }

  /**
   * Descends from the node at {@code level} to the last or the first entry below it. Always true.
   */
  private boolean descend(int level, boolean last) {
    for (int i = level; i < leafLevel; i++) {
      int node = pathNodes[i];
      long order = nodes.order(node);
      int rank = last ? OrderWord.count(order) - 1 : 0;
      pathOrders[i] = order;
      pathRanks[i] = rank;
      pathNodes[i + 1] = nodes.child(node, OrderWord.slot(order, rank));
    }
    enterLeaf();
    leafRank = last ? OrderWord.count(leafOrder) - 1 : 0;
    return true;
  }

  /** Descends from the root to where (key, trailer) is or would be. */
  private void find(byte[] key, int keyOffset, int length, long trailer) {
    for (int i = 0; i < leafLevel; i++) {
      int node = pathNodes[i];
      long order = nodes.order(node);
      int rank = tree.childRank(node, order, key, keyOffset, length, trailer);
      pathOrders[i] = order;
      pathRanks[i] = rank;
      pathNodes[i + 1] = nodes.child(node, OrderWord.slot(order, rank));
    }
    enterLeaf();
    leafRank = tree.entryRank(pathNodes[leafLevel], leafOrder, key, keyOffset, length, trailer);
  }

  private void enterLeaf() {
    int leaf = pathNodes[leafLevel];
    leafOrder = nodes.order(leaf);
    // Only now: an array taken before may be an old copy without slots that the word names.
    leafChildren = nodes.ints(leaf);
    leafBase = nodes.base(leaf);
  }

  /**
   * Moves to the near end of the next leaf (1) or the previous one (-1); false when there is none.
   */
  private boolean moveToLeaf(int step) {
    int level = leafLevel - 1;
    while (level >= 0) {
      int rank = pathRanks[level] + step;
      long order = pathOrders[level];
      if (rank >= 0 && rank < OrderWord.count(order)) {
        pathRanks[level] = rank;
        pathNodes[level + 1] = nodes.child(pathNodes[level], OrderWord.slot(order, rank));
        return descend(level + 1, step < 0);
      }
      level--;
    }
    return false;
  }

  /**
   * The same for the next leaf that may hold an entry with that sequence number or a larger one,
   * among those that were added after a range tombstone.
   */
  private boolean moveToNewer(int step, long sequence) {
    int level = leafLevel - 1;
    while (level >= 0) {
      long order = pathOrders[level];
      int count = OrderWord.count(order);
      int rank = pathRanks[level] + step;
      int child = EntryArena.NONE;
      while (rank >= 0 && rank < count) {
        child = nodes.child(pathNodes[level], OrderWord.slot(order, rank));
        if (nodes.newest(child) >= sequence) {
          break;
        }
        rank += step;
      }
      if (rank < 0 || rank >= count) {
        level--;
        continue;
      }
      pathRanks[level] = rank;
      level++;
      pathNodes[level] = child;
      if (level == leafLevel) {
        return descend(level, step < 0);
      }
      pathOrders[level] = nodes.order(child);
      pathRanks[level] = step > 0 ? -1 : OrderWord.count(pathOrders[level]);
    }
    return false;
  }

  private boolean setPosition(boolean found) {
    valid = found;
    if (found) {
      int entry = leafChildren[leafBase + OrderWord.slot(leafOrder, leafRank)];
      array = entries.array(entry);
      offset = EntryArena.offset(entry);
    }
    return found;
  }

  private boolean invalidate() {
    valid = false;
    return false;
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public byte[] keyArray() {
    return array;
  }

  @Override
  public int keyOffset() {
    return offset + EntryArena.HEADER_BYTES;
  }

  @Override
  public int keyLength() {
    return EntryArena.keyLength(array, offset);
  }

  @Override
  public long trailer() {
    return EntryArena.trailer(array, offset);
  }

  @Override
  public int valueLength() {
    return EntryArena.valueLength(array, offset);
  }

  @Override
  public void copyValue(byte[] target, int targetOffset) {
    System.arraycopy(array, valueOffset(), target, targetOffset, valueLength());
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(array, valueOffset(), valueLength()).slice().asReadOnlyBuffer();
  }

  private int valueOffset() {
    return offset + EntryArena.HEADER_BYTES + keyLength();
  }

  @Override
  public void close() {
    valid = false;
    array = Bytes.EMPTY;
    leafChildren = new int[0];
  }
}
