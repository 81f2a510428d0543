package io.sifr.internal.search;

import io.sifr.config.KeyPrefix;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MaskedIterator;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.entry.range.TombstonePlace;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.RunTombstones;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Creates the iterator over a view as one ordered map, at a sequence number and between bounds. */
public final class RangeSearch {
  private RangeSearch() {}

  /**
   * The user's view of a range. Trees and SSTs outside the range are never touched, and of trees
   * that hold no key with the prefix of the range no more than their filters. The caller is in a
   * read epoch.
   *
   * @param sequence registered with the snapshots, so that no compaction drops what is visible at
   *     it
   * @param from first key, or null for no bound
   * @param to first key after the range, or null for no bound
   * @param plan which reads other threads do
   * @param learned what cursors have learned about the keys
   * @param isOutdated see {@link RunIterator}
   */
  public static VisibleIterator open(
      StoreView view,
      long sequence,
      byte @Nullable [] from,
      byte @Nullable [] to,
      RangePlan plan,
      LearnedSpans learned,
      BooleanSupplier isOutdated) {
    Sources sources = new Sources(sequence, learned.get().in(from, to));
    if (!view.active().memtable().isEmpty()) {
      sources.add(view.active().memtable());
    }
    for (WriteBuffer buffer : view.immutables()) {
      sources.add(buffer.memtable());
    }
    KeyPrefix prefix = view.forest().options().filterPrefix();
    PrefixQuestion question = prefix == null ? null : PrefixQuestion.of(prefix, from, to);
    for (LogicalTree tree : view.forest().byPriority()) {
      int first = from == null ? 0 : tree.firstEndingAtOrAfter(from, 0, from.length);
      int last = lastBeginningBefore(tree, to);
      if (first <= last && (question == null || !question.rulesOut(tree, first, last))) {
        RunIterator entries = new RunIterator(tree, first, last, isOutdated, plan.helper());
        sources.add(
            entries,
            tree.hasRangeTombstones() ? new RunTombstones(tree) : null,
            tree.maxSequence());
      }
    }
    return new VisibleIterator(view.kinds(), sources.merged(plan), sequence, from, to, learned);
  }

  /** The sources of a range query, by priority. */
  private static final class Sources {
    private final long sequence;
    private final DeadSpans dead;
    private final List<EntryIterator> iterators = new ArrayList<>();
    private final List<TombstonePlace> withTombstones = new ArrayList<>();

    private Sources(long sequence, DeadSpans dead) {
      this.sequence = sequence;
      this.dead = dead;
    }

    void add(Memtable memtable) {
      if (!dead.isEmpty()) {
        memtable.trackNewest();
      }
      add(memtable.iterator(), memtable.tombstonePlace(), memtable.maxSequence());
    }

    /**
     * Adds one of lower priority than all others.
     *
     * @param place its range tombstones, if it has any
     * @param maxSequence none of its entries that the reader sees has a larger one
     */
    void add(EntryIterator entries, @Nullable TombstonePlace place, long maxSequence) {
      DeadSpans whole = dead.above(maxSequence);
      DeadSpans partly = dead.notAbove(maxSequence);
      List<TombstonePlace> above = withTombstones;
      if (!whole.isEmpty()) {
        above = new ArrayList<>(withTombstones);
        above.add(whole);
      }
      TombstonePlace own = partly.isEmpty() ? place : both(place, partly);
      iterators.add(
          own == null && above.isEmpty()
              ? entries
              : new MaskedIterator(entries, above, own, sequence));
      if (place != null) {
        withTombstones.add(place);
      }
    }

    private static TombstonePlace both(@Nullable TombstonePlace place, TombstonePlace other) {
      return place == null
          ? other
          : (key, offset, length, atMost, exactly, around) ->
              Math.max(
                  place.newestCovering(key, offset, length, atMost, exactly, around),
                  other.newestCovering(key, offset, length, atMost, exactly, around));
    }

    EntryIterator merged(RangePlan plan) {
      return iterators.size() == 1
          ? iterators.get(0)
          : new MergingIterator(iterators, 0, plan.seeker());
    }
  }

  private static int lastBeginningBefore(LogicalTree tree, byte @Nullable [] to) {
    if (to == null) {
      return tree.slices().size() - 1;
    }
    int last = tree.lastBeginningAtOrBefore(to, 0, to.length);
    return last >= 0 && Arrays.equals(tree.slices().get(last).smallestKey(), to) ? last - 1 : last;
  }
}
