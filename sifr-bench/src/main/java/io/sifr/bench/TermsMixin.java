package io.sifr.bench;

import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.store.Labels;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.cli.terminal.SizeConverter;
import io.sifr.config.Compression;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that all commands share: the work for a store, and its terms. */
final class TermsMixin {
  @Option(
      names = "--workload",
      required = true,
      split = ",",
      paramLabel = "NAME",
      description =
          "Workloads, run one after the other on the same store: fillseq, fillrandom, overwrite,"
              + " deleterandom, readrandom, readmissing, readhot, seekrandom, scan,"
              + " readwhilewriting, ycsb-a to ycsb-f. One that needs entries is preceded by a"
              + " fillrandom if none was filled.")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--entries",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Entries a fill inserts (default: ${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description =
          "Operations of each workload that does not fill (default: as many as entries, at most"
              + " 1000000; a twentieth of that for scans).")
  private @Nullable Integer operations;

  @Option(
      names = "--threads",
      defaultValue = "1",
      paramLabel = "N",
      description = "Clients at once (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Operations a second at which they begin, whether the store keeps up or not; gives"
              + " latencies corrected for coordinated omission.")
  private @Nullable Double rate;

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description =
          "End a workload after so many seconds, though not all its operations are done; what"
              + " follows finds fewer entries then. 0: no limit, as is the default of run; compare"
              + " ends after 60.")
  private @Nullable Integer timeLimitSeconds;

  @Option(
      names = "--shape",
      defaultValue = "paper",
      paramLabel = "SHAPE",
      description =
          "Bytes of keys and values: paper (23:1-200), 1k (24:1000), KEY:VALUE, KEY:MIN-MAX;"
              + " values are random bytes; with +half after it, their second half repeats the first,"
              + " with +text=FILE they are pieces of that file"
              + " (default: ${DEFAULT-VALUE}).")
  private String shape = "";

  @Option(
      names = "--write-buffer",
      defaultValue = "4MiB",
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description = "The store's write buffer (default: ${DEFAULT-VALUE}).")
  private long writeBufferBytes;

  @Option(
      names = "--cache",
      defaultValue = "64MiB",
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "The store's own cache of blocks or pages; stores that read through mappings have none"
              + " (default: ${DEFAULT-VALUE}).")
  private long cacheBytes;

  @Option(
      names = "--bloom",
      defaultValue = "off",
      paramLabel = "on|off",
      description = "Bloom filters of 10 bits a key (default: ${DEFAULT-VALUE}).")
  private String bloom = "";

  @Option(
      names = "--read-mode",
      defaultValue = "mmap",
      paramLabel = "mmap|direct",
      description =
          "mmap: through the page cache, by whichever call the store uses; direct: around it"
              + " (default: ${DEFAULT-VALUE}).")
  private String readMode = "";

  @Option(
      names = "--search",
      defaultValue = "serial",
      paramLabel = "SCHEME",
      description =
          "How sorted runs are searched: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      completionCandidates = SearchSchemes.class)
  private String search = "";

  @Option(
      names = "--search-threads",
      defaultValue = "1",
      paramLabel = "N",
      description = "Threads one search may use (default: ${DEFAULT-VALUE}).")
  private int searchThreads;

  @Option(
      names = "--durability",
      defaultValue = "buffered",
      paramLabel = "MODE",
      description =
          "What a write has survived when it returns: nothing, a killed process, a power loss;"
              + " ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      completionCandidates = Durabilities.class)
  private String durability = "";

  @Option(
      names = "--growth-factor",
      paramLabel = "N",
      description = "How much larger a stage or level is than the one before.")
  private @Nullable Integer growthFactor;

  @Option(
      names = "--compression",
      defaultValue = "none",
      paramLabel = "CODEC",
      description =
          "What makes blocks smaller: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      completionCandidates = Compressions.class)
  private String compression = "";

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description =
          "A setting of Sifr's store, for instance compactionThreads=4; sifr settings lists them. Overrides"
              + " what follows from the other options; no other store can be held to it.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "What all random choices follow from (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where stores are made, and deleted afterwards (default: the directory for temporary"
              + " files). Should be on the disk that is to be measured.")
  private @Nullable Path directory;

  /** The names of the workloads, as given. */
  List<String> workloads() {
    return workloads;
  }

  /** Where stores are made. */
  Path directory() {
    return directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
  }

  /**
   * All of it, for one store.
   *
   * @param usualTimeLimitSeconds which holds where no limit was given
   * @throws IllegalArgumentException when something is not allowed
   */
  RunSpec spec(StoreKind store, OptionalInt usualTimeLimitSeconds) {
    return new RunSpec(
        store,
        workloads.stream().map(Workload::of).toList(),
        Shape.of(shape),
        entries,
        operations == null ? OptionalInt.empty() : OptionalInt.of(operations),
        threads,
        rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate),
        timeLimit(usualTimeLimitSeconds),
        new Terms(
            oneOf("durability", durability, Durability.class),
            writeBufferBytes,
            cacheBytes,
            oneOf("bloom", bloom, Switch.class) == Switch.ON,
            oneOf("read-mode", readMode, ReadMode.class) == ReadMode.DIRECT,
            oneOf("search", search, SearchScheme.class),
            searchThreads,
            growthFactor == null ? OptionalInt.empty() : OptionalInt.of(growthFactor),
            oneOf("compression", compression, Compression.class),
            settings),
        seed,
        Optional.empty());
  }

  private OptionalInt timeLimit(OptionalInt usual) {
    if (timeLimitSeconds == null) {
      return usual;
    }
    return timeLimitSeconds == 0 ? OptionalInt.empty() : OptionalInt.of(timeLimitSeconds);
  }

  /** Made by picocli. */
  static final class SearchSchemes implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Labels.all(SearchScheme.class).iterator();
    }
  }

  /** Made by picocli. */
  static final class Compressions implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Labels.all(Compression.class).iterator();
    }
  }

  /** Made by picocli. */
  static final class Durabilities implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Labels.all(Durability.class).iterator();
    }
  }

  private enum Switch {
    ON,
    OFF
  }

  private enum ReadMode {
    MMAP,
    DIRECT
  }

  private static <E extends Enum<E>> E oneOf(String option, String value, Class<E> type) {
    return Labels.find(type, value, "--" + option + " is " + value);
  }
}
