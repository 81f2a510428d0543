package io.sifr.internal.compaction.merge;

import io.sifr.internal.compaction.pick.NeedlessSlices;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Trims slices of tombstones alone to what lies below them. A range tombstone that has deleted much
 * is soon left with something below it at its ends only, where SSTs were covered in part; but as
 * long as it reaches from one to the other, it overlaps all that is written between them later, and
 * causes it to be rewritten. What no step of a compaction takes is dropped with its frontier.
 */
final class TrimmedTombstones {
  /** A slice below which more pieces of the key space hold something is left as it is. */
  private static final int MOST_PIECES = 32;

  private static final Comparator<ClippedSst> BY_KEY =
      Comparator.comparing(ClippedSst::smallestKey, Arrays::compareUnsigned);

  private final List<LogicalTree> inputs;
  private final Set<SstSlice> needless;
  private final long[] snapshots;
  private final List<LogicalTree> older;

  private TrimmedTombstones(
      List<LogicalTree> inputs, Set<SstSlice> needless, long[] snapshots, List<LogicalTree> older) {
    this.inputs = inputs;
    this.needless = needless;
    this.snapshots = snapshots;
    this.older = older;
  }

  /**
   * The inputs of a compaction without its needless slices, and with the others trimmed.
   *
   * @param inputs highest priority first
   * @param needless those that {@link NeedlessSlices} has found
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than the inputs
   */
  static List<LogicalTree> in(
      List<LogicalTree> inputs, Set<SstSlice> needless, long[] snapshots, List<LogicalTree> older) {
    return new TrimmedTombstones(inputs, needless, snapshots, older).trimmed();
  }

  private List<LogicalTree> trimmed() {
    List<LogicalTree> trimmed = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      LogicalTree tree = inputs.get(i);
      List<LogicalTree> below = new ArrayList<>(inputs.subList(i + 1, inputs.size()));
      below.addAll(older);
      List<SstSlice> slices = new ArrayList<>();
      for (SstSlice slice : tree.slices()) {
        if (!needless.contains(slice)) {
          slices.addAll(pieces(slice, below));
        }
      }
      trimmed.add(new LogicalTree(tree.id(), slices));
    }
    return trimmed;
  }

  private List<? extends SstSlice> pieces(SstSlice slice, List<LogicalTree> below) {
    if (!slice.sst().hasRangeTombstones()
        || !NeedlessSlices.isOfTombstones(slice.sst().meta(), snapshots)) {
      return List.of(slice);
    }
    List<ClippedSst> pieces = new ArrayList<>();
    for (LogicalTree tree : below) {
      List<ClippedSst> ofTree = piecesOver(slice, tree);
      if (ofTree == null) {
        return List.of(slice);
      }
      pieces.addAll(ofTree);
    }
    List<ClippedSst> joined = joined(pieces);
    return joined.isEmpty() || joined.size() > MOST_PIECES ? List.of(slice) : joined;
  }

  /** Null for very many. */
  private @Nullable List<ClippedSst> piecesOver(SstSlice slice, LogicalTree tree) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    int first = tree.firstEndingAtOrAfter(smallest, 0, smallest.length);
    int end = 1 + tree.lastBeginningAtOrBefore(largest, 0, largest.length);
    if (end - first > MOST_PIECES) {
      return null;
    }
    List<ClippedSst> pieces = new ArrayList<>();
    for (int i = first; i < end; i++) {
      SstSlice other = tree.slices().get(i);
      if (!needless.contains(other)) {
        pieces.add(
            new ClippedSst(
                slice.sst(),
                larger(smallest, other.smallestKey()),
                smaller(largest, other.largestKey())));
      }
    }
    return pieces;
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
}
