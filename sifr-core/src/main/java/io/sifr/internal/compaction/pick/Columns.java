package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a {@link Container} are compacted into the tree of the second stage column by column
 * (MatrixKV, §3.2): a column is what all of them hold in a key range that ends where an SST of that
 * tree ends, as wide as makes a compaction of a few SSTs. So no compaction of the first stage is
 * large, however large the container is, and its space is free again SST by SST. The further stages
 * are as {@link Leveled} wants them.
 *
 * <p>In the paper the rows of a full container, its compactor, are fixed until the last of their
 * columns is compacted, and a receiver takes new ones meanwhile. Here a column takes what all rows
 * hold, the newest as well, and the next one follows as long as the container is full. What lies
 * behind a column was compacted longest ago, so rows hold most there, twice as much as on average:
 * less is written than with a compactor, and a key is in fewer rows. Nothing of that is stored: the
 * last column ended where rows are clipped.
 *
 * @param container where the rows are
 * @param further the rule of the further stages
 */
record Columns(Container container, Leveled further) implements Rule.OfStages {
  /** Least size of a column and what it is compacted with, in SSTs: half of the paper's factor. */
  private static final int LEAST_SSTS = 5;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    List<CompactionPlan> due = new ArrayList<>();
    List<LogicalTree> rows = forest.stage(1);
    if (container.fill(rows) >= 1
        && forest.stage(2).size() <= 1
        && forest.isIdle(1, KeySpan.ALL)
        && forest.isIdle(2, KeySpan.ALL)) {
      KeySpan span = span(rows, forest.stage(2).stream().findFirst().orElse(null));
      List<LogicalTree> column = rows.stream().filter(row -> row.holdsIn(span)).toList();
      due.add(Leveled.downwards(forest, column, span, 2));
    }
    due.addAll(further.due(forest, 2));
    return due;
  }

  /** The keys of the next column, round robin. */
  private KeySpan span(List<LogicalTree> rows, @Nullable LogicalTree next) {
    byte @Nullable [] above = KeySpan.before(begin(rows));
    Iterator<byte[]> ends = ends(rows, next, new KeySpan(above, last(rows)));
    byte @Nullable [] measured = above;
    for (long bytes = 0; bytes < LEAST_SSTS * further.splitUnitBytes() && ends.hasNext(); ) {
      KeySpan piece = new KeySpan(measured, ends.next());
      bytes += rows.stream().mapToLong(row -> bytesIn(row, piece)).sum();
      bytes += next == null ? 0 : bytesIn(next, piece);
      measured = piece.last();
    }
    return new KeySpan(above, measured);
  }

  /**
   * The first key of the next column: that after the last one, where rows are clipped. The oldest
   * row holds nothing before it; so it is no key beyond, where another compaction has clipped them.
   * Columns begin anew when there is none.
   */
  private static byte[] begin(List<LogicalTree> rows) {
    byte[] oldest = first(rows.get(rows.size() - 1));
    return rows.stream()
        .flatMap(row -> row.clipped().stream())
        .filter(slice -> !Arrays.equals(slice.smallestKey(), slice.sst().smallestKey()))
        .map(SstSlice::smallestKey)
        .filter(begin -> Arrays.compareUnsigned(begin, oldest) <= 0)
        .max(Arrays::compareUnsigned)
        .orElseGet(
            () -> rows.stream().map(Columns::first).min(Arrays::compareUnsigned).orElseThrow());
  }

  private static byte[] first(LogicalTree tree) {
    return tree.slices().get(0).smallestKey();
  }

  private static byte[] last(List<LogicalTree> rows) {
    return rows.stream()
        .map(row -> row.slices().get(row.slices().size() - 1).largestKey())
        .max(Arrays::compareUnsigned)
        .orElseThrow();
  }

  /**
   * The keys with which a column may end, ascending: the ends of SSTs of the next stage, behind the
   * last of these the ends of SSTs of rows, and the last key of all rows.
   */
  private static Iterator<byte[]> ends(
      List<LogicalTree> rows, @Nullable LogicalTree next, KeySpan span) {
    Stream<byte[]> ends = Stream.empty();
    KeySpan behind = span;
    if (next != null) {
      ends = ends(next, span);
      behind = span.and(new KeySpan(last(List.of(next)), null)).orElse(null);
    }
    TreeSet<byte[]> ofRows = new TreeSet<>(Arrays::compareUnsigned);
    if (behind != null) {
      for (LogicalTree row : rows) {
        ends(row, behind).forEach(ofRows::add);
      }
    }
    ofRows.add(span.last());
    return Stream.concat(ends, ofRows.stream()).iterator();
  }

  /** Where SSTs end that end in a key range and before its last key. */
  private static Stream<byte[]> ends(LogicalTree tree, KeySpan span) {
    return tree.slicesIn(span).stream()
        .map(SstSlice::largestKey)
        .takeWhile(end -> Arrays.compareUnsigned(end, span.last()) < 0);
  }

  private static long bytesIn(LogicalTree tree, KeySpan span) {
    return tree.slicesIn(span).stream().mapToLong(slice -> span.clip(slice).bytes()).sum();
  }

  /** That of columns is how full the container is, as that of others how full their stage is. */
  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return plan.sourceStage() == 1 ? container.fill(forest.stage(1)) : further.score(forest, plan);
  }

  @Override
  public double debt(Forest forest) {
    return Math.max(further.debt(forest, 2), container.debt(forest));
  }

  @Override
  public int growthFactor() {
    return further.growthFactor();
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return further.moreFilterBits(forest, stage);
  }
}
