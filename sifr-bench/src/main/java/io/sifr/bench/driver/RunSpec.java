package io.sifr.bench.driver;

import io.sifr.bench.store.Labels;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The description of a run.
 *
 * @param store the store
 * @param workloads run one after the other, each on the store that the previous one has left
 * @param shape lengths of keys and values
 * @param entries entries that a fill inserts
 * @param operations operations of each other workload; a default per workload if empty
 * @param threads clients at once
 * @param rate scheduled operations per second of all clients together; as fast as possible if empty
 * @param timeLimitSeconds after which a workload ends even if it is not done; none if empty
 * @param terms the settings with which the store is opened
 * @param seed of all random choices
 * @param keptFills a directory for stores after a {@code fillrandom}: a kept one is copied instead
 *     of filling again, which has no result, and a new one is kept; always fills if empty
 */
@RecordBuilder
public record RunSpec(
    StoreKind store,
    List<Workload> workloads,
    Shape shape,
    int entries,
    OptionalInt operations,
    int threads,
    OptionalDouble rate,
    OptionalInt timeLimitSeconds,
    Terms terms,
    long seed,
    Optional<Path> keptFills)
    implements RunSpecBuilder.With {

  /** Largest number of entries: their numbers are ints, and their ledger is on the heap. */
  public static final int MAX_ENTRIES = 1_000_000_000;

  /** Largest number of clients. */
  public static final int MAX_THREADS = 1024;

  private static final int MAX_DEFAULT_OPERATIONS = 1_000_000;

  /** Scans are done less often than point reads by this factor, as they read many entries. */
  private static final int SCAN_WEIGHT = 20;

  /** Checks the ranges. */
  public RunSpec {
    workloads = List.copyOf(workloads);
    if (workloads.isEmpty()) {
      throw new IllegalArgumentException("there is no workload; at least one is needed");
    }
    check("entries", entries, 1, MAX_ENTRIES);
    check("operations", operations.orElse(1), 1, MAX_ENTRIES);
    check("threads", threads, 1, MAX_THREADS);
    check("time-limit", timeLimitSeconds.orElse(1), 1, Integer.MAX_VALUE);
    check("search-threads", terms.searchThreads(), 1, MAX_THREADS);
    if (rate.isPresent() && !(rate.getAsDouble() > 0)) {
      throw new IllegalArgumentException(
          "rate is " + rate.getAsDouble() + "; allowed: more than 0 operations a second");
    }
    if (capacity(workloads, entries, operations) > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "entries and inserts together are more than " + MAX_ENTRIES);
    }
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " is " + value + "; allowed: " + min + " to " + max);
    }
  }

  /** Operations of one workload, of all clients together. */
  public int operationsOf(Workload workload) {
    return operationsOf(workload, entries, operations);
  }

  private static int operationsOf(Workload workload, int entries, OptionalInt operations) {
    if (workload.fills()) {
      return entries;
    }
    int usual = Math.min(entries, MAX_DEFAULT_OPERATIONS);
    return operations.orElse(workload.scans() ? Math.max(1, usual / SCAN_WEIGHT) : usual);
  }

  /** Largest possible number of entries, including inserts of all workloads. */
  int capacity() {
    return (int) capacity(workloads, entries, operations);
  }

  private static long capacity(List<Workload> workloads, int entries, OptionalInt operations) {
    return entries
        + workloads.stream()
            .filter(Workload::inserts)
            .mapToLong(workload -> operationsOf(workload, entries, operations))
            .sum();
  }

  /** Approximate largest number of bytes of keys and values. */
  long expectedBytes() {
    return (long) (capacity() * shape.averageEntryBytes());
  }

  /** The same with other terms, which follow from these. */
  public RunSpec withTerms(UnaryOperator<Terms> change) {
    return withTerms(change.apply(terms));
  }

  /** Whether it only fills a store to be kept, which is copied the second time without a result. */
  public boolean isKeptFill() {
    return keptFills.isPresent() && workloads.equals(List.of(Workload.FILLRANDOM));
  }

  /** The command line of {@code sifr-bench run} that runs this. */
  public List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("run"));
    add(arguments, "--store", store.label());
    add(
        arguments,
        "--workload",
        workloads.stream().map(Workload::label).collect(Collectors.joining(",")));
    add(arguments, "--shape", shape.name());
    add(arguments, "--entries", entries);
    operations.ifPresent(value -> add(arguments, "--operations", value));
    add(arguments, "--threads", threads);
    rate.ifPresent(value -> add(arguments, "--rate", value));
    timeLimitSeconds.ifPresent(value -> add(arguments, "--time-limit", value));
    add(arguments, "--durability", Labels.of(terms.durability()));
    add(arguments, "--write-buffer", terms.writeBufferBytes());
    add(arguments, "--cache", terms.cacheBytes());
    add(arguments, "--bloom", terms.bloom() ? "on" : "off");
    add(arguments, "--read-mode", terms.directReads() ? "direct" : "mmap");
    add(arguments, "--search", Labels.of(terms.search()));
    add(arguments, "--search-threads", terms.searchThreads());
    terms.growthFactor().ifPresent(value -> add(arguments, "--growth-factor", value));
    add(arguments, "--compression", Labels.of(terms.compression()));
    terms.settings().forEach((name, value) -> add(arguments, "--set", name + "=" + value));
    add(arguments, "--seed", seed);
    keptFills.ifPresent(directory -> add(arguments, "--keep-fills", directory));
    return arguments;
  }

  private static void add(List<String> arguments, String option, Object value) {
    arguments.add(option);
    arguments.add(value.toString());
  }
}
