package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Spans of trees that consist of whole slices, which can be dropped unread. */
final class WholeSlices {
  private WholeSlices() {}

  /** The key range of some neighbouring slices of a tree, from the end of the slice before. */
  static KeySpan span(List<SstSlice> slices, int begin, int end) {
    return new KeySpan(
        begin == 0 ? null : slices.get(begin - 1).largestKey(), slices.get(end - 1).largestKey());
  }

  /** The key ranges of the slices that have a property, neighbouring ones as one. */
  static List<KeySpan> spans(LogicalTree tree, Predicate<SstSlice> property) {
    List<KeySpan> spans = new ArrayList<>();
    List<SstSlice> slices = tree.slices();
    int begin = -1;
    for (int i = 0; i <= slices.size(); i++) {
      boolean has = i < slices.size() && property.test(slices.get(i));
      if (has && begin < 0) {
        begin = i;
      } else if (!has && begin >= 0) {
        spans.add(span(slices, begin, i));
        begin = -1;
      }
    }
    return spans;
  }

  /** Whether no compaction has still to compact something of a key range of a tree. */
  static boolean areIdle(Forest forest, LogicalTree tree, KeySpan span) {
    return forest.compactions().stream()
        .noneMatch(
            other -> other.uses(tree.id()) && KeySpan.overlap(other.remaining(), List.of(span)));
  }
}
