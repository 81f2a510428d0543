package io.sifr.bench.micro;

import io.sifr.ReadOptions;
import io.sifr.config.SearchScheme;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The cost of {@code ADAPTIVE} when it has nothing to gain because everything is in memory. The two
 * schemes take turns of a fraction of a millisecond, so that a busy machine slows both. The result
 * is {@code adaptiveNanos} divided by {@code serialNanos}; {@link SearchSchemeBenchmark} needs a
 * machine whose speed is the same in all forks.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class SchemeRatioBenchmark extends StoredGets {
  private static final int GETS_A_TURN = 100;

  /** The nanoseconds that each scheme took for as many gets. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Took {
    /** Of {@code SERIAL}. */
    public long serialNanos;

    /** Of {@code ADAPTIVE}. */
    public long adaptiveNanos;
  }

  private final ReadOptions serial =
      ReadOptions.builder().searchScheme(SearchScheme.SERIAL).build();
  private final ReadOptions adaptive =
      ReadOptions.builder().searchScheme(SearchScheme.ADAPTIVE).build();

  /** Present keys: four turns. */
  @Benchmark
  public void hits(Took took, Blackhole blackhole) {
    takeTurns(present, took, blackhole);
  }

  /** Absent keys, so that all trees are searched: four turns. */
  @Benchmark
  public void misses(Took took, Blackhole blackhole) {
    takeTurns(absent, took, blackhole);
  }

  private void takeTurns(Cycle<byte[]> keys, Took took, Blackhole blackhole) {
    // Each scheme follows the other and itself.
    took.serialNanos += turn(keys, serial, blackhole);
    took.adaptiveNanos += turn(keys, adaptive, blackhole);
    took.adaptiveNanos += turn(keys, adaptive, blackhole);
    took.serialNanos += turn(keys, serial, blackhole);
  }

  private long turn(Cycle<byte[]> keys, ReadOptions options, Blackhole blackhole) {
    long start = System.nanoTime();
    for (int i = 0; i < GETS_A_TURN; i++) {
      blackhole.consume(database.get(keys.next(), options));
    }
    return System.nanoTime() - start;
  }
}
