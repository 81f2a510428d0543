package io.sifr.internal.state;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The range tombstones of a database at one moment.
 *
 * @param bytes what they take in memory; those of SSTs that were not opened yet take none
 * @param count number of their fragments
 */
public record LiveTombstones(long bytes, long count) {
  /**
   * Those of a forest.
   *
   * @param isFinal whether the bytes do not change any more: all SSTs that have some are open
   */
  record OfForest(Forest forest, long bytes, long count, boolean isFinal) {
    static OfForest of(Forest forest) {
      Set<Sst> counted = Collections.newSetFromMap(new IdentityHashMap<>());
      long bytes = 0;
      long count = 0;
      boolean isFinal = true;
      for (LogicalTree tree : forest.byPriority()) {
        for (Sst sst : tree.hasRangeTombstones() ? tree.ssts() : Set.<Sst>of()) {
          // A clipped SST may be in a tree more than once.
          if (sst.hasRangeTombstones() && counted.add(sst)) {
            isFinal &= sst.hasRangeTombstonesInMemory();
            bytes += sst.rangeTombstoneBytes();
            count += sst.meta().rangeTombstones();
          }
        }
      }
      return new OfForest(forest, bytes, count, isFinal);
    }
  }

  static LiveTombstones of(StoreView view, OfForest ofForest) {
    Memtable active = view.active().memtable();
    long bytes = ofForest.bytes + active.tombstoneBytes();
    long count = ofForest.count + active.tombstoneCount();
    for (WriteBuffer buffer : view.immutables()) {
      bytes += buffer.memtable().tombstoneBytes();
      count += buffer.memtable().tombstoneCount();
    }
    return new LiveTombstones(bytes, count);
  }
}
