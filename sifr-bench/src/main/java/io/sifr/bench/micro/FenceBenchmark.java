package io.sifr.bench.micro;

import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstMeta;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Finding the SSTs of a forest that may hold a key, one a tree. The forests have no files; they
 * have the shape that random writes give them with the default settings, one flush before all
 * stages are merged.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class FenceBenchmark {
  private static final int ENTRIES_PER_SST = 15_000;

  /** What the forest would take on disk: 9, 12 or 15 trees. */
  @Param({"1", "10", "100"})
  public int gigabytes;

  private Forest forest;
  private Cycle<byte[]> keys;

  /** Builds the forest. */
  @Setup
  public void build() {
    forest = Forest.empty(1, "default");
    long treeBytes = StoreOptions.DEFAULT.writeBufferBytes();
    long flushes = ((long) gigabytes << 30) / treeBytes - 1;
    int growthFactor = StoreOptions.DEFAULT.growthFactor();
    int id = 0;
    for (int stage = 1; flushes > 0; stage++) {
      for (long trees = flushes % growthFactor; trees > 0; trees--) {
        forest = forest.withTree(stage, tree(++id, treeBytes));
      }
      flushes /= growthFactor;
      treeBytes *= growthFactor;
    }
    Entries asked = new Entries(1 << 20, 0);
    keys = new Cycle<>(asked.sample().mapToObj(asked::key));
  }

  private static LogicalTree tree(int id, long bytes) {
    int ssts = (int) (bytes / StoreOptions.DEFAULT.splitUnitBytes());
    Entries entries = new Entries(ssts * ENTRIES_PER_SST, id);
    return new LogicalTree(
        id, IntStream.range(0, ssts).mapToObj(index -> sst(entries, index)).toList());
  }

  private static Sst sst(Entries entries, int index) {
    int first = index * ENTRIES_PER_SST;
    int last = first + ENTRIES_PER_SST - 1;
    return new Sst(
        new SstMeta(
            1 + index,
            1,
            StoreOptions.DEFAULT.splitUnitBytes(),
            ENTRIES_PER_SST,
            0,
            1 << 20,
            1,
            1,
            entries.key(first),
            entries.key(last)));
  }

  /** All candidates for one key. */
  @Benchmark
  public void candidates(Blackhole blackhole) {
    byte[] key = keys.next();
    List<LogicalTree> trees = forest.byPriority();
    for (int i = 0; i < trees.size(); i++) {
      blackhole.consume(trees.get(i).find(key, 0, key.length));
    }
  }
}
