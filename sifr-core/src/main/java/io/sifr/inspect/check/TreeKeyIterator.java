package io.sifr.inspect.check;

import com.google.common.collect.AbstractIterator;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Iterates over the user keys of one tree, in order, with one SST open at a time. */
final class TreeKeyIterator extends AbstractIterator<TreeKeyIterator.TreeKey>
    implements AutoCloseable {
  private final OfflineStore store;
  private final long treeId;
  private final int priority;
  private final Iterator<SstSlice> remaining;

  private long sstNumber;
  private @Nullable SstReader reader;
  private @Nullable EntryIterator entries;

  /**
   * The versions of a key in a tree.
   *
   * @param priority 0 for the tree of the highest priority
   * @param sst number of the SST that holds it
   * @param newest the largest sequence number of a version
   * @param oldest the smallest one
   */
  record TreeKey(Key key, int priority, long tree, long sst, long newest, long oldest) {
    /** By key, then by priority. */
    static final Comparator<TreeKey> ORDER =
        Comparator.comparing(TreeKey::key).thenComparingInt(TreeKey::priority);

    boolean hasKeyOf(@Nullable TreeKey other) {
      return other != null && key.equals(other.key);
    }
  }

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

  /** The next user key; passes all its versions. */
  @Override
  protected @Nullable TreeKey computeNext() {
    EntryIterator at = entries;
    while (at == null || !at.valid()) {
      if (!remaining.hasNext()) {
        return endOfData();
      }
      at = open(remaining.next());
    }
    Key key = Key.copyOf(at.keyArray(), at.keyOffset(), at.keyLength());
    byte[] bytes = key.bytes();
    long newest = Trailer.sequence(at.trailer());
    long oldest;
    do {
      oldest = Trailer.sequence(at.trailer());
    } while (at.next()
        && Bytes.compare(at.keyArray(), at.keyOffset(), at.keyLength(), bytes, 0, bytes.length)
            == 0);
    return new TreeKey(key, priority, treeId, sstNumber, newest, oldest);
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
