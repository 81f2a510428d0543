package io.sifr.bench.micro;

import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.filter.KeyHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Filters of SSTs of 2 MiB: a lookup, including counting its answer, and collecting keys for a
 * filter.
 */
public class FilterBenchmark extends MicroBenchmark {
  /** Keys of an SST of 2 MiB with entries of 123 bytes. */
  private static final int KEYS = 17_000;

  /** Fits into the first-level cache, or exceeds the last-level cache. */
  @Param({"1", "1500"})
  public int filters;

  private final FilterCounts counts = new FilterCounts();
  private final KeyHash.Buffer collector = new KeyHash.Buffer(10);
  private FilterShape shape;
  private List<byte[]> keys;
  private Cycle<Query> present;
  private Cycle<Query> absent;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Query(long[] filter, byte[] key) {}

  /** Fills the filters and prepares the queries. */
  @Setup
  public void fill() {
    List<long[]> made = new ArrayList<>();
    Entries entries = new Entries(KEYS, 0);
    keys = IntStream.range(0, KEYS).mapToObj(entries::key).toList();
    shape = Objects.requireNonNull(collect().shape());
    for (int sst = 1; sst <= filters; sst++) {
      made.add(collector.toFilter(shape));
    }
    present = queries(made, entries, entries::key);
    absent = queries(made, entries, entries::absentKey);
  }

  private static Cycle<Query> queries(List<long[]> made, Entries entries, IntFunction<byte[]> key) {
    SplittableRandom random = new SplittableRandom(1);
    return new Cycle<>(
        entries
            .sample()
            .mapToObj(index -> new Query(made.get(random.nextInt(made.size())), key.apply(index))));
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

  private boolean ask(Query query) {
    long hash = KeyHash.of(query.key(), 0, query.key().length);
    if (shape.mayHold(hash, query.filter(), shape.block(hash) * FilterShape.BLOCK_WORDS)) {
      return true;
    }
    counts.rejected();
    return false;
  }

  /** The work of a flush or compaction per key while it writes an SST. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public KeyHash.Buffer collect() {
    collector.clear();
    for (byte[] key : keys) {
      collector.add(KeyHash.of(key, 0, key.length));
    }
    return collector;
  }

  /** Its work per key at the end of an SST, without writing the filter. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public Object collectAndFill() {
    KeyHash.Buffer hashes = collect();
    return hashes.toFilter(Objects.requireNonNull(hashes.shape()));
  }
}
