package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a compaction, or a flush, still needs of its inputs before it reads their entries:
 * which slices of SSTs, and which range tombstones. What entries it needs is decided by {@link
 * io.sifr.internal.entry.VersionFilter}.
 *
 * <p>A compaction drops a slice without reading it if no reader needs anything of it:
 *
 * <ul>
 *   <li>what lies wholly within newer range tombstones, of the inputs or of trees above them, if no
 *       snapshot is older than these;
 *   <li>what consists of tombstones only, if no snapshot is older than they are and nothing lies
 *       below them. So a range tombstone that has reached the end of its way keeps no SST of newer
 *       trees in its range from being moved.
 * </ul>
 *
 * <p>Other slices of tombstones alone are trimmed to what lies below them. A range tombstone that
 * has deleted much is soon left with something below it at its ends only, where SSTs were covered
 * in part; but as long as it reaches from one to the other, it overlaps all that is written between
 * them later, and causes it to be rewritten. What no step of a compaction takes is dropped with its
 * frontier.
 */
final class Survivors {
  /** A slice below which more pieces of the key space hold something is left as it is. */
  private static final int MOST_PIECES = 32;

  private static final Comparator<ClippedSst> BY_KEY =
      Comparator.comparing(ClippedSst::smallestKey, Arrays::compareUnsigned);

  private final List<LogicalTree> inputs;
  private final long[] snapshots;
  private final List<LogicalTree> older;
  private final Set<SstSlice> droppable = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * What is left of the inputs of a compaction.
   *
   * @param inputs highest priority first
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than the inputs
   */
  Survivors(List<LogicalTree> inputs, long[] snapshots, List<LogicalTree> older) {
    this.inputs = inputs;
    this.snapshots = snapshots;
    this.older = older;
  }

  /**
   * Finds the slices that are dropped unread. Called first, unless none are.
   *
   * @param above range tombstones of trees of higher priority than the inputs; null for none
   */
  void dropUnread(@Nullable RangeTombstones above) {
    if (above == null && inputs.stream().noneMatch(LogicalTree::hasRangeTombstones)) {
      return;
    }
    RangeTombstones own =
        SliceTombstones.of(inputs.stream().flatMap(tree -> tree.slices().stream()).toList());
    RangeTombstones ranges = own == null ? above : above == null ? own : own.and(above);
    for (LogicalTree tree : inputs) {
      for (SstSlice slice : tree.slices()) {
        if (ranges != null && isHidden(slice, ranges)) {
          droppable.add(slice);
        }
      }
    }
    for (int i = inputs.size() - 1; i >= 0; i--) {
      List<LogicalTree> below = inputs.subList(i + 1, inputs.size());
      for (SstSlice slice : inputs.get(i).slices()) {
        if (isOfTombstones(slice)
            && Stream.concat(older.stream(), below.stream())
                .allMatch(tree -> holdsNothingUnder(slice, tree))) {
          droppable.add(slice);
        }
      }
    }
  }

  /** Whether slices are dropped. */
  boolean drops() {
    return !droppable.isEmpty();
  }

  /** Entries of the slices that are dropped. */
  long droppedEntries() {
    return droppable.stream().mapToLong(SstSlice::entries).sum();
  }

  /** The inputs without the slices that are dropped, and with the others trimmed. */
  List<LogicalTree> trees() {
    List<LogicalTree> left = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      LogicalTree tree = inputs.get(i);
      List<LogicalTree> below = new ArrayList<>(inputs.subList(i + 1, inputs.size()));
      below.addAll(older);
      List<SstSlice> slices = new ArrayList<>();
      for (SstSlice slice : tree.slices()) {
        if (!droppable.contains(slice)) {
          slices.addAll(pieces(slice, below));
        }
      }
      left.add(new LogicalTree(tree.id(), slices));
    }
    return left;
  }

  /** Whether all of a slice lies within newer range tombstones, and every reader sees these. */
  private boolean isHidden(SstSlice slice, RangeTombstones ranges) {
    SstMeta meta = slice.sst().meta();
    long from = ranges.hidingAll(slice.smallestKey(), slice.largestKey(), meta.maxSequence());
    return from != Long.MAX_VALUE && !meta.isSeenBelow(from, snapshots);
  }

  /** Whether all is tombstones, with ranges among them, and every reader sees these. */
  private boolean isOfTombstones(SstSlice slice) {
    SstMeta meta = slice.sst().meta();
    return slice.sst().hasRangeTombstones()
        && meta.tombstones() == meta.entries()
        && (snapshots.length == 0 || snapshots[0] >= meta.maxSequence());
  }

  private boolean holdsNothingUnder(SstSlice slice, LogicalTree tree) {
    return droppable.containsAll(under(slice, tree));
  }

  /** The slices of a tree that overlap a slice. */
  private static List<SstSlice> under(SstSlice slice, LogicalTree tree) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    int first = tree.firstEndingAtOrAfter(smallest, 0, smallest.length);
    int end = 1 + tree.lastBeginningAtOrBefore(largest, 0, largest.length);
    return first < end ? tree.slices().subList(first, end) : List.of();
  }

  private List<? extends SstSlice> pieces(SstSlice slice, List<LogicalTree> below) {
    if (!isOfTombstones(slice)) {
      return List.of(slice);
    }
    List<ClippedSst> pieces = new ArrayList<>();
    for (LogicalTree tree : below) {
      List<SstSlice> under = under(slice, tree);
      if (under.size() > MOST_PIECES) {
        return List.of(slice);
      }
      for (SstSlice other : under) {
        if (!droppable.contains(other)) {
          pieces.add(
              new ClippedSst(
                  slice.sst(),
                  larger(slice.smallestKey(), other.smallestKey()),
                  smaller(slice.largestKey(), other.largestKey())));
        }
      }
    }
    List<ClippedSst> joined = joined(pieces);
    return joined.isEmpty() || joined.size() > MOST_PIECES ? List.of(slice) : joined;
  }

  /** Without overlaps, ascending. */
  private static List<ClippedSst> joined(List<ClippedSst> pieces) {
    pieces.sort(BY_KEY);
    List<ClippedSst> joined = new ArrayList<>();
    for (ClippedSst piece : pieces) {
      ClippedSst last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && Arrays.compareUnsigned(piece.smallestKey(), last.largestKey()) <= 0) {
        byte[] largest = larger(last.largestKey(), piece.largestKey());
        joined.set(joined.size() - 1, new ClippedSst(last.sst(), last.smallestKey(), largest));
      } else {
        joined.add(piece);
      }
    }
    return joined;
  }

  private static byte[] larger(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }

  private static byte[] smaller(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) <= 0 ? a : b;
  }

  /**
   * The range tombstones that a flush or a compaction has to write; null for none. Of those that
   * cover the same keys, each reader needs the newest that it sees, and nobody needs one below
   * which nothing lies: neither in an older tree nor, for a snapshot that is older than the
   * tombstone, in the output.
   *
   * @param ranges those of the inputs; null for none
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than the inputs
   */
  static @Nullable RangeTombstones ranges(
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
