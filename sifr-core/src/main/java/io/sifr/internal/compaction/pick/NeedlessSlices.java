package io.sifr.internal.compaction.pick;

import io.sifr.internal.entry.RangeTombstones;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.SstSlice;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds slices of SSTs of which no reader needs anything: a compaction drops them without reading
 * them. Of those there are two kinds:
 *
 * <ul>
 *   <li>what lies wholly within newer range tombstones, of the inputs or of trees above them, if no
 *       snapshot is older than these;
 *   <li>what consists of tombstones only, if no snapshot is older than they are and nothing lies
 *       below them. So a range tombstone that has reached the end of its way keeps no SST of newer
 *       trees in its range from being moved.
 * </ul>
 */
public final class NeedlessSlices {
  private NeedlessSlices() {}

  /**
   * The needless slices of the inputs of a compaction.
   *
   * @param inputs what it merges, highest priority first
   * @param above range tombstones of trees of higher priority than the inputs; null for none
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than the inputs
   */
  public static Set<SstSlice> of(
      List<LogicalTree> inputs,
      @Nullable RangeTombstones above,
      long[] snapshots,
      List<LogicalTree> older) {
    Set<SstSlice> needless = Collections.newSetFromMap(new IdentityHashMap<>());
    if (above == null && inputs.stream().noneMatch(LogicalTree::hasRangeTombstones)) {
      return needless;
    }
    RangeTombstones own =
        SliceTombstones.of(inputs.stream().flatMap(tree -> tree.slices().stream()).toList());
    RangeTombstones ranges = own == null ? above : above == null ? own : own.and(above);
    for (LogicalTree tree : inputs) {
      for (SstSlice slice : tree.slices()) {
        if (isHidden(slice, ranges, snapshots)) {
          needless.add(slice);
        }
      }
    }
    for (int i = inputs.size() - 1; i >= 0; i--) {
      List<LogicalTree> below = inputs.subList(i + 1, inputs.size());
      for (SstSlice slice : inputs.get(i).slices()) {
        if (slice.sst().hasRangeTombstones()
            && isOfTombstones(slice.sst().meta(), snapshots)
            && Stream.concat(older.stream(), below.stream())
                .allMatch(tree -> holdsNothingUnder(slice, tree, needless))) {
          needless.add(slice);
        }
      }
    }
    return needless;
  }

  /** Whether all of a slice lies within newer range tombstones, and every reader sees these. */
  private static boolean isHidden(
      SstSlice slice, @Nullable RangeTombstones ranges, long[] snapshots) {
    if (ranges == null) {
      return false;
    }
    long from = hiddenFrom(slice, ranges);
    return from != Long.MAX_VALUE && !isSeen(slice, from, snapshots);
  }

  /**
   * The sequence number from which on range tombstones hide all of a slice from readers; {@link
   * Long#MAX_VALUE} when they do not.
   */
  static long hiddenFrom(SstSlice slice, RangeTombstones ranges) {
    long newest = slice.sst().meta().maxSequence();
    return ranges.hidingAll(slice.smallestKey(), slice.largestKey(), newest);
  }

  /** Whether there is a snapshot that sees something of a slice, and no number from that one on. */
  static boolean isSeen(SstSlice slice, long to, long[] snapshots) {
    long from = slice.sst().meta().minSequence();
    return Arrays.stream(snapshots).anyMatch(snapshot -> snapshot >= from && snapshot < to);
  }

  /** Whether all is tombstones, and every reader sees these. */
  public static boolean isOfTombstones(SstMeta meta, long[] snapshots) {
    return meta.tombstones() == meta.entries()
        && (snapshots.length == 0 || snapshots[0] >= meta.maxSequence());
  }

  private static boolean holdsNothingUnder(
      SstSlice slice, LogicalTree tree, Set<SstSlice> needless) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    int first = tree.firstEndingAtOrAfter(smallest, 0, smallest.length);
    int end = 1 + tree.lastBeginningAtOrBefore(largest, 0, largest.length);
    return first >= end || needless.containsAll(tree.slices().subList(first, end));
  }
}
