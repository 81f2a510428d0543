package io.sifr.internal.memtable;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.memtable.EntryTree.OrderWord;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * All entries of a memtable that is no longer written to, for one who reads them from the first to
 * the last, more than once.
 *
 * <p>Neighbours in key order are anywhere in memory, and a read of one after the other would wait
 * for each. So the places of all entries are collected first, and their headers are read in groups:
 * the processor waits for those of a group together.
 */
public final class MemtableScan extends EntryIterator.Positioned {
  private static final int GROUP = 16;

  private final EntryArena entries;
  private final int[] places;
  private final long[] trailers = new long[GROUP];
  private final long[] lengths = new long[GROUP];
  private int count;
  private int current;

  // Of the current entry.
  private long trailer;
  private int valueLength;

  MemtableScan(EntryTree tree, int expected) {
    super(Bytes.EMPTY);
    entries = tree.entries;
    places = new int[expected];
    long root = tree.root();
    if (EntryTree.height(root) > 0) {
      collect(tree.nodes, EntryTree.node(root), EntryTree.height(root));
    }
  }

  private void collect(EntryTree.NodeArena nodes, int node, int height) {
    long order = nodes.order(node);
    int children = OrderWord.count(order);
    for (int rank = 0; rank < children; rank++) {
      int child = nodes.child(node, OrderWord.slot(order, rank));
      if (height > 1) {
        collect(nodes, child, height - 1);
      } else {
        places[count++] = child;
      }
    }
  }

  /** Number of entries. */
  public int size() {
    return count;
  }

  @Override
  public boolean seekToFirst() {
    return moveTo(0);
  }

  /** Moves to the last entry. Returns whether there is one. */
  public boolean seekToLast() {
    if (count > 0) {
      readHeaders((count - 1) & -GROUP);
    }
    return moveTo(count - 1);
  }

  @Override
  public boolean next() {
    return moveTo(current + 1);
  }

  private boolean moveTo(int index) {
    if (index < 0 || index >= count) {
      return leave();
    }
    int inGroup = index & (GROUP - 1);
    if (inGroup == 0) {
      readHeaders(index);
    }
    current = index;
    trailer = trailers[inGroup];
    valueLength = EntryArena.valueLength(lengths[inGroup]);
    int place = places[index];
    return positionAt(
        entries.array(place), EntryArena.keyOffset(place), EntryArena.keyLength(lengths[inGroup]));
  }

  private void readHeaders(int from) {
    int end = Math.min(count - from, GROUP);
    for (int i = 0; i < end; i++) {
      int place = places[from + i];
      byte[] array = entries.array(place);
      int offset = EntryArena.offset(place);
      trailers[i] = EntryArena.trailer(array, offset);
      lengths[i] = EntryArena.lengths(array, offset);
    }
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public int valueLength() {
    return valueLength;
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    System.arraycopy(key, keyOffset + keyLength, target, offset, valueLength);
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(key, keyOffset + keyLength, valueLength).slice().asReadOnlyBuffer();
  }

  @Override
  public void close() {
    valid = false;
  }
}
