package io.sifr.bench.micro;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.config.SearchScheme;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** The cost of a search scheme when everything is in memory, so that none can gain anything. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class SearchSchemeBenchmark {
  /** How candidates are searched. */
  @Param({"SERIAL", "ADAPTIVE", "FIXED_COUNT"})
  public SearchScheme scheme = SearchScheme.SERIAL;

  private ReadOptions options;
  private Database database;
  private Cycle<byte[]> present;
  private Cycle<byte[]> absent;

  /** Prepares the keys. */
  @Setup
  public void prepare(LoadedStore loaded) {
    options = ReadOptions.builder().searchScheme(scheme).build();
    database = loaded.database();
    present = loaded.presentKeys();
    absent = loaded.absentKeys();
  }

  /** A present key. */
  @Benchmark
  public byte @Nullable [] hit() {
    return database.get(present.next(), options);
  }

  /** An absent key, so that all trees are searched. */
  @Benchmark
  public byte @Nullable [] miss() {
    return database.get(absent.next(), options);
  }
}
