package io.sifr.bench.micro;

import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.Sst;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of an edit of large trees: the progress of a half-finished merge of the last stage that
 * has written ten more SSTs. All its inputs and its output become new trees.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class ForestEditBenchmark {
  private static final int TREES = 17;
  private static final int OUTPUT_ID = TREES + 1;
  private static final int SSTS_WRITTEN = 10;

  /** Size of the forest on disk, if it had files, in GB. */
  @Param({"1", "10", "100"})
  public int gigabytes;

  private Forest forest;
  private ForestEdit.CompactionProgressed edit;

  /** Builds the forest with a half-finished merge. */
  @Setup
  public void build() {
    Forest idle = DrawnForest.of(gigabytes, TREES);
    int stage = idle.stageCount();
    List<LogicalTree> inputs = idle.stage(stage);
    int size = inputs.stream().mapToInt(tree -> tree.slices().size()).sum();
    List<Sst> output = DrawnForest.tree(OUTPUT_ID, size).ssts();
    int half = size / 2;
    int next = half + SSTS_WRITTEN;
    byte[] middle = output.get(half - 1).largestKey();
    List<Long> ids = inputs.stream().map(LogicalTree::id).toList();
    Compaction begun =
        new Compaction(OUTPUT_ID, ids, OUTPUT_ID, Compaction.Shape.MOVES, List.of(KeySpan.ALL));
    forest =
        idle.withBegun(new ForestEdit.CompactionBegun(1, begun, stage + 1))
            .withProgress(
                new ForestEdit.CompactionProgressed(
                    1, OUTPUT_ID, KeySpan.upTo(middle), output.subList(0, half), List.of()));
    forest.candidates();
    edit =
        new ForestEdit.CompactionProgressed(
            1,
            OUTPUT_ID,
            new KeySpan(middle, output.get(next - 1).largestKey()),
            output.subList(half, next),
            List.of());
  }

  /** The edit alone, which is the cost for a merge. */
  @Benchmark
  public Forest edit() {
    return forest.withProgress(edit);
  }

  /** The edit, and the additional cost of the first query after it. */
  @Benchmark
  public Candidates editAndHints() {
    return forest.withProgress(edit).candidates();
  }
}
