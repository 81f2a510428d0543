package io.sifr.inspect.check;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the user keys of one tree, in order, with one SST open at a time. Iterators compare
 * by their current key, then by priority.
 */
final class TreeKeyIterator implements Comparable<TreeKeyIterator>, AutoCloseable {
  private final OfflineStore store;
  private final long treeId;
  private final int priority;
  private final Iterator<SstSlice> remaining;

  private long sstNumber;
  private @Nullable SstReader reader;
  private @Nullable EntryIterator entries;
  private byte[] key = Bytes.EMPTY;
  private long newestSequence;
  private long oldestSequence;

  /**
   * @param priority 0 for the tree of the highest priority
   * @param unusable numbers of SSTs to skip
   */
  TreeKeyIterator(OfflineStore store, LogicalTree tree, int priority, Set<Long> unusable) {
    this.store = store;
    this.treeId = tree.id();
    this.priority = priority;
    this.remaining =
        tree.slices().stream().filter(slice -> !unusable.contains(slice.sst().number())).iterator();
  }

  /** Moves to the next user key, past all its versions. Returns whether there is one. */
  boolean nextKey() {
    EntryIterator at = entries;
    while (at == null || !at.valid()) {
      if (!remaining.hasNext()) {
        return false;
      }
      at = open(remaining.next());
    }
    int from = at.keyOffset();
    key = Arrays.copyOfRange(at.keyArray(), from, from + at.keyLength());
    newestSequence = Trailer.sequence(at.trailer());
    do {
      oldestSequence = Trailer.sequence(at.trailer());
    } while (at.next()
        && Bytes.compare(at.keyArray(), at.keyOffset(), at.keyLength(), key, 0, key.length) == 0);
    return true;
  }

  private EntryIterator open(SstSlice slice) {
    close();
    Sst sst = slice.sst();
    sstNumber = sst.number();
    SstReader opened = store.openSst(sst.meta());
    reader = opened;
    EntryIterator iterator = slice.clip(opened.iterator());
    entries = iterator;
    iterator.seekToFirst();
    return iterator;
  }

  byte[] key() {
    return key;
  }

  int priority() {
    return priority;
  }

  long newestSequence() {
    return newestSequence;
  }

  long oldestSequence() {
    return oldestSequence;
  }

  long treeId() {
    return treeId;
  }

  /** Number of the SST that holds the key. */
  long sstNumber() {
    return sstNumber;
  }

  @Override
  public int compareTo(TreeKeyIterator other) {
    int order = Arrays.compareUnsigned(key, other.key);
    return order != 0 ? order : Integer.compare(priority, other.priority);
  }

  @Override
  public void close() {
    EntryIterator iterator = entries;
    if (iterator != null) {
      entries = null;
      iterator.close();
    }
    SstReader opened = reader;
    if (opened != null) {
      reader = null;
      opened.close();
    }
  }
}
