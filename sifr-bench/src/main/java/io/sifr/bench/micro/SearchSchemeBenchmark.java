package io.sifr.bench.micro;

import io.sifr.ReadOptions;
import io.sifr.config.SearchScheme;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of a search scheme when everything is in memory, so that none can gain anything. */
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class SearchSchemeBenchmark extends StoredGets {
  /** The scheme of searches. */
  @Param({"SERIAL", "ADAPTIVE", "FIXED_COUNT"})
  public SearchScheme scheme = SearchScheme.SERIAL;

  private ReadOptions options;

  /** Makes the options. */
  @Setup
  public void choose() {
    options = ReadOptions.builder().searchScheme(scheme).build();
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
