package io.sifr.bench.micro;

import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.RangeSearch;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.state.ForestShapes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The work of a store with its forest alone, up to a size that no test could write: each kind of
 * edit of the forest, and what depends on the number of SSTs. The forest has no files. In its last
 * stage a compaction is half finished, whose progress changes large trees: all its inputs and its
 * output.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class ForestEditBenchmark extends MicroBenchmark {
  private static final int TREES = 17;
  private static final int OUTPUT_ID = TREES + 1;
  private static final int FLUSHED_ID = TREES + 2;
  private static final int SSTS_OF_AN_EDIT = 10;

  /** Size of the forest on disk, if it had files, in GB. */
  @Param({"10", "100", "1000"})
  public int gigabytes;

  /** Size of the SSTs in MiB. */
  @Param({"2", "64"})
  public int sstMib;

  private Forest idle;
  private Forest forest;
  private StoreView view;
  private LogicalTree flushed;
  private ForestEdit.CompactionBegun begins;
  private ForestEdit.CompactionProgressed writes;
  private ForestEdit.CompactionProgressed moves;
  private ForestEdit.CompactionProgressed drops;
  private ForestEdit.TreesMoved movesTrees;

  /** Builds the forest with a half-finished compaction. */
  @Setup
  public void build() {
    idle = DrawnForest.of(gigabytes, sstMib, TREES);
    int stage = idle.stageCount();
    List<LogicalTree> inputs = idle.stage(stage);
    int size = inputs.stream().mapToInt(tree -> tree.slices().size()).sum();
    List<Sst> output = DrawnForest.tree(OUTPUT_ID, sstMib, size).ssts();
    int half = size / 2;
    byte[] middle = output.get(half - 1).largestKey();
    List<Long> ids = inputs.stream().map(LogicalTree::id).toList();
    begins =
        new ForestEdit.CompactionBegun(
            1,
            new Compaction(OUTPUT_ID, ids, OUTPUT_ID, Compaction.Shape.MOVES, List.of(KeySpan.ALL)),
            stage + 1);
    forest =
        idle.apply(begins)
            .apply(
                new ForestEdit.CompactionProgressed(
                    1, OUTPUT_ID, KeySpan.upTo(middle), output.subList(0, half), List.of()));
    forest.candidates();
    view = new StoreView(new WriteBuffer(new Memtable(1 << 16)), List.of(), forest);
    flushed = DrawnForest.tree(FLUSHED_ID, sstMib, 2);
    List<Sst> written = output.subList(half, Math.min(size, half + SSTS_OF_AN_EDIT));
    writes = progress(middle, written, List.of());
    List<SstSlice> left = inputs.get(0).slices();
    int from = 1 + inputs.get(0).lastBeginningAtOrBefore(middle, 0, middle.length);
    List<Sst> moved =
        left.subList(from, Math.min(left.size(), from + SSTS_OF_AN_EDIT)).stream()
            .map(SstSlice::sst)
            .toList();
    moves = progress(middle, moved, moved.stream().map(Sst::number).toList());
    drops = new ForestEdit.CompactionProgressed(1, OUTPUT_ID, writes.span(), List.of(), List.of());
    movesTrees = new ForestEdit.TreesMoved(1, stage + 1, ids);
  }

  private static ForestEdit.CompactionProgressed progress(
      byte[] above, List<Sst> ssts, List<Long> moved) {
    KeySpan span = new KeySpan(above, ssts.get(ssts.size() - 1).largestKey());
    return new ForestEdit.CompactionProgressed(
        1, OUTPUT_ID, span, moved.isEmpty() ? ssts : List.of(), moved);
  }

  /** A flush adds a tree. */
  @Benchmark
  public Forest flush() {
    return forest.withTree(1, flushed);
  }

  /** A compaction begins. */
  @Benchmark
  public Forest begin() {
    return idle.apply(begins);
  }

  /** A compaction has written SSTs: the edit alone, which is the cost for the compaction. */
  @Benchmark
  public Forest progress() {
    return forest.apply(writes);
  }

  /** The same, and the additional cost of showing it to queries. */
  @Benchmark
  public StoreView progressAndView() {
    return view.withForest(forest.apply(writes));
  }

  /** A compaction has moved SSTs. */
  @Benchmark
  public Forest move() {
    return forest.apply(moves);
  }

  /** A compaction has dropped what its inputs held. */
  @Benchmark
  public Forest drop() {
    return forest.apply(drops);
  }

  /** A compaction ends. */
  @Benchmark
  public Forest end() {
    return forest.withEnded(OUTPUT_ID);
  }

  /** Trees go to another stage. */
  @Benchmark
  public Forest moveTrees() {
    return idle.apply(movesTrees);
  }

  /** All trees are made from their SSTs. */
  @Benchmark
  public void trees(Blackhole blackhole) {
    idle.byPriority().forEach(tree -> blackhole.consume(new LogicalTree(1, tree.slices())));
  }

  /** All hints for queries are made. */
  @Benchmark
  public Candidates hints() {
    Forest fresh = Forest.empty(1, "default");
    for (int stage = 1; stage <= idle.stageCount(); stage++) {
      for (LogicalTree tree : idle.stage(stage)) {
        fresh = fresh.withTree(stage, tree);
      }
    }
    return fresh.candidates();
  }

  /** A cursor without bounds is opened, before its first seek. */
  @Benchmark
  public void openCursor() {
    try (VisibleIterator cursor =
        RangeSearch.open(
            view, Long.MAX_VALUE, null, null, RangePlan.ALONE, new LearnedSpans(), () -> false)) {
      // Not positioned: its SSTs have no files.
    }
  }

  /** A description of the forest for users. */
  @Benchmark
  public ForestShape shape() {
    return ForestShapes.of(forest, sst -> SstPlace.STORE);
  }
}
