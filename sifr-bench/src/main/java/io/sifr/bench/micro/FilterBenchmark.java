package io.sifr.bench.micro;

import io.sifr.config.FilterMode;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.filter.KeyHashes;
import io.sifr.internal.filter.SstFilter;
import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.io.DiskFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Filters of SSTs of 2 MiB: a lookup, including counting its answer, and collecting keys for a
 * filter.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class FilterBenchmark {
  /** Keys of an SST of 2 MiB with entries of 123 bytes. */
  private static final int KEYS = 17_000;

  /** Fits into the first-level cache, or exceeds the last-level cache. */
  @Param({"1", "1500"})
  public int filters;

  @Param({"RESIDENT", "HOT"})
  public FilterMode mode = FilterMode.RESIDENT;

  private final KeyHashes collector = new KeyHashes();
  private ScratchDirectory directory;
  private SstFilters all;
  private List<byte[]> keys;
  private Cycle<Query> present;
  private Cycle<Query> absent;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Query(SstFilter filter, byte[] key) {}

  /** Fills the filters and prepares the queries. */
  @Setup
  public void fill() throws IOException {
    directory = new ScratchDirectory();
    SplittableRandom ids = new SplittableRandom(0);
    all =
        new SstFilters(
            new DiskFileSystem(), directory.path(), mode, 10, 1 << 30, () -> 1, ids::nextLong);
    List<SstFilter> made = new ArrayList<>();
    Entries entries = new Entries(KEYS, 0);
    keys = IntStream.range(0, KEYS).mapToObj(entries::key).toList();
    for (int sst = 1; sst <= filters; sst++) {
      KeyHashes hashes = Objects.requireNonNull(all.newKeyHashes());
      keys.forEach(key -> hashes.add(key, 0, key.length));
      made.add(Objects.requireNonNull(all.make(sst, ids.nextLong(), hashes, 0)));
    }
    present = queries(made, entries, entries::key);
    absent = queries(made, entries, entries::absentKey);
  }

  private static Cycle<Query> queries(
      List<SstFilter> made, Entries entries, IntFunction<byte[]> key) {
    SplittableRandom random = new SplittableRandom(1);
    return new Cycle<>(
        entries
            .sample()
            .mapToObj(index -> new Query(made.get(random.nextInt(made.size())), key.apply(index))));
  }

  /** Deletes the filter file. */
  @TearDown
  public void delete() throws IOException {
    all.close(false);
    directory.close();
  }

  /** A present key: hashed, and accepted by the filter. */
  @Benchmark
  public boolean askPresent() {
    return ask(present.next());
  }

  /** An absent key: hashed, and nearly always rejected and counted. */
  @Benchmark
  public boolean askAbsent() {
    return ask(absent.next());
  }

  private static boolean ask(Query query) {
    return query.filter().mayHold(KeyHash.of(query.key(), 0, query.key().length));
  }

  /** The work of a flush or merge per key while it writes an SST. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public KeyHashes collect() {
    collector.clear();
    for (byte[] key : keys) {
      collector.add(key, 0, key.length);
    }
    return collector;
  }

  /** Its work per key at the end of an SST, without writing the filter. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public Object collectAndFill() {
    return Objects.requireNonNull(collect().toFilter(10));
  }
}
