package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;

/**
 * Asks all places of a view for the newest version of a key, the most believed first, until one
 * knows it: by I1 no later place can hold a newer one.
 *
 * <p>The caller is inside a read epoch, so that no SST of the view can be unmapped. Stateless.
 */
public final class PointSearch {
  private PointSearch() {}

  /**
   * Finds the newest version of a key with a sequence number of at most {@code sequence}.
   *
   * @return whether there is one; it may be a tombstone
   */
  public static boolean find(
      StoreView view, byte[] key, int offset, int length, long sequence, Lookup into) {
    if (view.active().memtable().get(key, offset, length, sequence, into)) {
      return true;
    }
    List<WriteBuffer> immutables = view.immutables();
    for (int i = 0; i < immutables.size(); i++) {
      if (immutables.get(i).memtable().get(key, offset, length, sequence, into)) {
        return true;
      }
    }
    List<LogicalTree> trees = view.forest().byPriority();
    long hash = trees.isEmpty() ? 0 : KeyHash.of(key, offset, length);
    for (int i = 0; i < trees.size(); i++) {
      Sst sst = trees.get(i).find(key, offset, length);
      if (sst != null && sst.mayHold(hash)) {
        if (sst.reader().get(key, offset, length, sequence, into)) {
          return true;
        }
        sst.missed();
      }
    }
    return false;
  }
}
