package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.measure.DirectReads;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.measure.Looks;
import io.sifr.bench.measure.PageCache;
import io.sifr.bench.process.DiskImage;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/** A random load whose flushes and compactions write past the page cache, and one through it. */
final class DirectStoring {
  private static final List<StoreKind> STORES =
      List.of(StoreKind.SIFR, StoreKind.SIFR_LEVELED, StoreKind.ROCKSDB);

  /** How often the data fits on the disk. */
  private static final int DATA_FITS = 3;

  private static final long LEAST_BYTES = 512 << 20;

  /** A file that is read beside the load, from the device: the end of its name, and its size. */
  private static final String OTHERS = ".others";

  private static final int OTHERS_BYTES = 16 << 20;

  /** The time from one of these reads to the next. */
  private static final long READ_MILLIS = 1;

  private static final String TABLES = ".sst";

  private static final String RATE = "thousand/s, drained";
  private static final String CPU = "CPU, µs an entry";
  private static final String DEVICE = "device, bytes/byte";
  private static final String OTHER = "p99 of another's read, µs";
  private static final String CACHE = "page cache of its SSTs, MiB";
  private static final String DIRECT = ", direct";

  private DirectStoring() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<String> columns = new ArrayList<>();
    for (String figure : List.of(RATE, CPU, DEVICE, OTHER, CACHE)) {
      columns.addAll(List.of(figure, figure + DIRECT));
    }
    Grid grid = new Grid("store", columns);
    Optional<String> obstacle = DiskImage.obstacle();
    obstacle.ifPresent(why -> findings.missing("All of it: " + why + "."));
    if (obstacle.isEmpty()) {
      for (StoreKind kind : STORES) {
        measure(laboratory, findings, kind, grid);
      }
      findings.add(
          grid.turned()
              .only(RATE, RATE + DIRECT)
              .bars("A random load on a disk image", Block.Axis.linear("thousand a second")));
    }
    String sifr = StoreKind.SIFR.label();
    findings
        .table(grid)
        .summary(grid.only(sifr, StoreKind.ROCKSDB.label()))
        .timeClaim(
            "TPDS Fig. 9b",
            "storing SSTs directly makes a random load faster",
            grid.ratio(sifr, RATE + DIRECT, RATE).atLeast(1.05))
        .claimOfMuchData(
            "TPDS §5.2",
            "it spares the device what the file system writes",
            grid.ratio(sifr, DEVICE + DIRECT, DEVICE).atMost(0.95));
  }

  private static void measure(Laboratory laboratory, Findings findings, StoreKind kind, Grid grid) {
    RunSpec spec = laboratory.spec(kind, Workload.FILLRANDOM);
    for (boolean direct : new boolean[] {false, true}) {
      RunSpec one = spec.withTerms(terms -> terms.withDirectReads(direct));
      if (spec.entries() > Laboratory.WARM_UP_ENTRIES) {
        new Load(laboratory, one.withEntries(Laboratory.WARM_UP_ENTRIES)).run();
      }
      laboratory.tell(kind.label() + ": random load" + (direct ? DIRECT : ""));
      Load load = new Load(laboratory, one);
      RunResult result = load.run();
      String suffix = direct ? DIRECT : "";
      grid.put(kind.label(), RATE + suffix, result.opsPerSecondDrained() / 1e3)
          .put(kind.label(), CPU + suffix, result.cpuMicros())
          .put(kind.label(), DEVICE + suffix, (double) load.deviceBytes / result.userBytes())
          .put(kind.label(), OTHER + suffix, load.readNanos.getValueAtPercentile(99) / 1e3);
      if (load.cacheBytes.isPresent()) {
        grid.put(kind.label(), CACHE + suffix, Figures.inMib(load.cacheBytes.get()));
      } else {
        findings.missing("The page cache that the stores take: there is no program fincore.");
      }
    }
  }

  /** A load on a disk image of its own. */
  private static final class Load implements StoreRun.Progress {
    private final Laboratory laboratory;
    private final RunSpec spec;
    private final Histogram readNanos = Latencies.histogram();
    private long deviceBytes;
    private Optional<Long> cacheBytes = Optional.empty();
    private Runnable atEnd = () -> {};

    Load(Laboratory laboratory, RunSpec spec) {
      this.laboratory = laboratory;
      this.spec = spec;
    }

    RunResult run() {
      long data = (long) (spec.entries() * spec.shape().averageEntryBytes());
      long bytes = LEAST_BYTES + DATA_FITS * data;
      try (DiskImage disk = DiskImage.create(laboratory.directory(), bytes)) {
        Path directory = disk.directory().resolve("store");
        Path others = othersFile(disk);
        long before = disk.writtenBytes();
        atEnd =
            () -> {
              cacheBytes = cacheOf(directory);
              disk.sync();
              deviceBytes = disk.writtenBytes() - before;
            };
        List<RunResult> results = new ArrayList<>();
        try (DirectReads reads = new DirectReads(others, OTHERS, 1);
            Looks looks = new Looks(READ_MILLIS, () -> readNanos.recordValue(reads.oneByOne(1)))) {
          new StoreRun(spec, directory, this).run(results::add);
        }
        return results.get(0);
      }
    }

    /**
     * Makes a file that somebody else reads from the device all the time; returns its directory.
     */
    private static Path othersFile(DiskImage disk) {
      Path directory = disk.directory().resolve("others");
      try {
        Files.createDirectories(directory);
        Files.write(directory.resolve("file" + OTHERS), new byte[OTHERS_BYTES]);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      disk.sync();
      return directory;
    }

    private static Optional<Long> cacheOf(Path directory) {
      try {
        return Optional.of(PageCache.bytes(directory, TABLES));
      } catch (UnsupportedOperationException e) {
        return Optional.empty();
      }
    }

    @Override
    public LongConsumer begin(Workload workload, long operations) {
      return done -> {};
    }

    @Override
    public void end() {
      atEnd.run();
    }
  }
}
