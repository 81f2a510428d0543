package io.sifr.internal.search;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.RunIterator;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the iterator that shows a view as one ordered map, at a sequence number and between bounds.
 */
public final class RangeSearch {
  private RangeSearch() {}

  /**
   * The user's view of a range. Trees outside the range are left out.
   *
   * @param sequence registered with the snapshots, so that no merge drops what it can see
   * @param from first key, or null for the first there is
   * @param to key behind the last, or null for the last there is
   * @param isOutdated see {@link RunIterator}
   */
  public static VisibleIterator open(
      StoreView view,
      long sequence,
      byte @Nullable [] from,
      byte @Nullable [] to,
      BooleanSupplier isOutdated) {
    List<EntryIterator> places = new ArrayList<>();
    if (!view.active().memtable().isEmpty()) {
      places.add(view.active().memtable().iterator());
    }
    for (WriteBuffer buffer : view.immutables()) {
      places.add(buffer.memtable().iterator());
    }
    for (LogicalTree tree : view.forest().byPriority()) {
      if (overlaps(tree, from, to)) {
        places.add(new RunIterator(tree, isOutdated));
      }
    }
    EntryIterator merged = places.size() == 1 ? places.get(0) : new MergingIterator(places, 0);
    return new VisibleIterator(merged, sequence, from, to);
  }

  private static boolean overlaps(LogicalTree tree, byte @Nullable [] from, byte @Nullable [] to) {
    int first = from == null ? 0 : tree.firstEndingAtOrBehind(from, 0, from.length);
    if (first == tree.slices().size()) {
      return false;
    }
    // The bound is exclusive; a tree that begins exactly there costs one seek and is not worth a
    // comparison of its own.
    return to == null || tree.lastBeginningAtOrBefore(to, 0, to.length) >= first;
  }
}
