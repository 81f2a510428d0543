package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.RangeTombstones;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which range tombstones a flush or a compaction has to write. Of those that cover the same
 * keys, each reader needs the newest that it sees, and nobody needs one below which nothing lies:
 * neither in an older tree nor, for a snapshot that is older than the tombstone, in the output.
 */
final class NeededTombstones {
  private NeededTombstones() {}

  /**
   * Those that are needed; null for none.
   *
   * @param ranges those of the inputs; null for none
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than the inputs
   */
  static @Nullable RangeTombstones of(
      @Nullable RangeTombstones ranges, long[] snapshots, List<LogicalTree> older) {
    if (ranges == null) {
      return null;
    }
    List<RangeTombstones.Fragment> needed = new ArrayList<>();
    for (RangeTombstones.Fragment fragment : ranges.fragments()) {
      boolean isAbove =
          older.stream().anyMatch(tree -> tree.holdsBetween(fragment.from(), fragment.to()));
      long[] sequences = needed(fragment.sequences(), snapshots, isAbove);
      if (sequences.length > 0) {
        needed.add(new RangeTombstones.Fragment(fragment.from(), fragment.to(), sequences));
      }
    }
    return needed.isEmpty() ? null : RangeTombstones.of(needed);
  }

  /**
   * @param sequences descending
   * @param isAbove whether they may hide something in an older tree
   */
  private static long[] needed(long[] sequences, long[] snapshots, boolean isAbove) {
    long oldest = snapshots.length == 0 ? Long.MAX_VALUE : snapshots[0];
    long[] needed = new long[sequences.length];
    int count = 0;
    long newer = Long.MAX_VALUE;
    int seeNoNewer = snapshots.length;
    for (long sequence : sequences) {
      while (seeNoNewer > 0 && snapshots[seeNoNewer - 1] >= newer) {
        seeNoNewer--;
      }
      boolean isSeen =
          newer == Long.MAX_VALUE || (seeNoNewer > 0 && snapshots[seeNoNewer - 1] >= sequence);
      if (isSeen && (isAbove || sequence > oldest)) {
        needed[count++] = sequence;
      }
      newer = sequence;
    }
    return Arrays.copyOf(needed, count);
  }
}
