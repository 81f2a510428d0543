package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.List;

/** Spans of trees that consist of whole slices, which can be dropped unread. */
final class WholeSlices {
  private WholeSlices() {}

  /** The key range of some neighbouring slices of a tree, from the end of the slice before. */
  static KeySpan span(List<SstSlice> slices, int begin, int end) {
    return new KeySpan(
        begin == 0 ? null : slices.get(begin - 1).largestKey(), slices.get(end - 1).largestKey());
  }

  /** Whether no compaction has still to compact something of a key range of a tree. */
  static boolean areIdle(Forest forest, LogicalTree tree, KeySpan span) {
    return forest.compactions().stream()
        .noneMatch(
            other -> other.uses(tree.id()) && KeySpan.overlap(other.remaining(), List.of(span)));
  }
}
