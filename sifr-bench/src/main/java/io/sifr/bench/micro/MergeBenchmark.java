package io.sifr.bench.micro;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Merging trees that overlap everywhere; the megabytes are those of the input. The SSTs are
 * reopened for each merge, since a block's checksum is verified when it is first read.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class MergeBenchmark extends MicroBenchmark {
  /** Number of trees. */
  @Param({"2", "4", "8"})
  public int trees;

  /** Entries in all trees together: 32 MB. */
  @Param("250000")
  public int entries;

  private TreeFiles files;
  private List<List<SstMeta>> written;
  private List<LogicalTree> inputs;
  private List<Sst> outputs;
  private long inputBytes;

  /** Writes the trees. */
  @Setup
  public void write() throws IOException {
    Entries all = new Entries(entries, 0);
    int[] treeOf = new SplittableRandom(0).ints(entries, 0, trees).toArray();
    files = new TreeFiles();
    written =
        IntStream.range(0, trees)
            .mapToObj(tree -> files.write(all, index -> treeOf[index] == tree))
            .toList();
    inputBytes = written.stream().flatMap(List::stream).mapToLong(SstMeta::fileBytes).sum();
  }

  /** Opens the trees. */
  @Setup(Level.Invocation)
  public void open() {
    inputs = written.stream().map(files::open).toList();
    outputs = List.of();
  }

  /** Closes the trees and deletes the output. */
  @TearDown(Level.Invocation)
  public void close() {
    inputs.forEach(tree -> TreeFiles.close(tree.ssts()));
    files.delete(outputs);
  }

  /** Deletes the trees. */
  @TearDown
  public void delete() throws IOException {
    files.close();
  }

  /** A merge as in the engine: its output is made durable and read back. */
  @Benchmark
  public List<Sst> merge(Megabytes read) {
    CompactionPlan plan =
        new CompactionPlan(
            null,
            new CompactionPlan.Inputs(inputs, List.of(KeySpan.ALL), List.of(), List.of()),
            null,
            new CompactionPlan.Stages(1, 2),
            Compaction.Shape.MOVES,
            CompactionReason.STAGE_FULL,
            false);
    List<Sst> written = new ArrayList<>();
    new PartTask(files.environment(), plan, KeySpan.ALL, new long[0], new Collector(written)).run();
    outputs = written;
    read.add(inputBytes);
    return written;
  }

  /** Receives the output of a merge. */
  private record Collector(List<Sst> written) implements PartTask.Progress {
    @Override
    public void begins(long bytes) {}

    @Override
    public void written(Sst sst) {
      written.add(sst);
    }

    @Override
    public void wroteValues(long bytes) {}

    @Override
    public void stays(Sst sst) {
      throw new IllegalStateException("the output is a new tree");
    }

    @Override
    public void moved(Sst sst) {
      throw new IllegalStateException("an SST was moved; random trees overlap everywhere");
    }

    @Override
    public void reached(byte[] frontier, long droppedEntries) {}
  }

  /** Only the iteration of a merge: values are not read and nothing is written. */
  @Benchmark
  public void iterate(Megabytes read, Blackhole blackhole) {
    List<RunIterator> runs = new ArrayList<>();
    inputs.forEach(tree -> runs.add(TreeFiles.iterator(tree)));
    try (EntryIterator merged = new MergingIterator(runs, 0)) {
      for (boolean more = merged.seekToFirst(); more; more = merged.next()) {
        blackhole.consume(merged.keyLength());
        blackhole.consume(merged.trailer());
      }
    }
    read.add(inputBytes);
  }
}
