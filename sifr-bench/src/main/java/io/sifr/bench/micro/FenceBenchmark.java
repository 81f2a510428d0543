package io.sifr.bench.micro;

import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Finding the SSTs of a forest that may hold a key, one per tree. The forests have no files, and no
 * SST is read.
 */
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class FenceBenchmark extends MicroBenchmark {
  /** Size of the forest on disk, if it had files, in GB. */
  @Param({"1", "10", "100", "1000"})
  public int gigabytes;

  /** Size of the SSTs in MiB. */
  @Param({"2", "64"})
  public int sstMib;

  /** Number of trees. */
  @Param({"6", "11", "17"})
  public int trees;

  private Forest forest;
  private Cycle<byte[]> keys;

  /** Builds the forest. */
  @Setup
  public void build() {
    forest = DrawnForest.of(gigabytes, sstMib, trees);
    Entries asked = new Entries(1 << 20, 0);
    keys = new Cycle<>(asked.sample().mapToObj(asked::key));
  }

  /** All candidates for one key, each by a search of its own. */
  @Benchmark
  public void searched(Blackhole blackhole) {
    byte[] key = keys.next();
    List<LogicalTree> byPriority = forest.byPriority();
    for (int i = 0; i < byPriority.size(); i++) {
      blackhole.consume(byPriority.get(i).find(key, 0, key.length));
    }
  }

  /** All candidates for one key, by hints. */
  @Benchmark
  public void hinted(Blackhole blackhole) {
    byte[] key = keys.next();
    Candidates candidates = forest.candidates();
    int cell = candidates.cell(key, 0, key.length);
    for (int i = 0; i < candidates.trees(); i++) {
      blackhole.consume(candidates.find(i, cell, key, 0, key.length));
    }
  }
}
