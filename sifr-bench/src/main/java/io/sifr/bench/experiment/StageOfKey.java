package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.FilterMode;
import io.sifr.config.ReadMode;
import io.sifr.config.ReadOptions;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * Latency of a read by the stage its key is in. Which stage that is follows from when the key was
 * inserted: the newest tree holds the keys inserted last, and so on.
 */
final class StageOfKey implements Experiment {
  private static final List<SearchScheme> SCHEMES =
      List.of(
          SearchScheme.SERIAL,
          SearchScheme.FIXED_COUNT,
          SearchScheme.PRIORITY_AWARE,
          SearchScheme.LAST_STAGE,
          SearchScheme.ADAPTIVE);

  private static final int READS_A_STAGE = 4_000;
  private static final int WARM_UP_READS = 1_000;
  private static final long CACHE_BYTES = 1 << 20;
  private static final long SEED = 1;

  @Override
  public String name() {
    return "stage-of-key";
  }

  @Override
  public String title() {
    return "latency of a read by the stage of its key (TPDS Fig. 13)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Path directory = laboratory.directory().resolve("sifr-bench-stage-of-key");
    List<List<String>> rows = new ArrayList<>();
    List<Block.Series> means = new ArrayList<>();
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(4 << 20)
            .filterMode(FilterMode.OFF)
            .readMode(ReadMode.DIRECT)
            .blockCacheBytes(CACHE_BYTES)
            .build();
    try (Store store = Store.open(directory, options)) {
      laboratory.tell("sifr: load");
      Reads reads = new Reads(store, laboratory.scale().entries());
      reads.load();
      List<Stage> stages = stages(store.database().forest());
      for (SearchScheme scheme : SCHEMES) {
        laboratory.tell("sifr: reads by stage, " + label(scheme));
        means.add(curve(reads, stages, scheme, rows));
      }
    } finally {
      DiskSpace.delete(directory);
    }
    return new Findings()
        .paper(
            "FC takes the same time whichever of six stages the key is in. PA is faster than FC for"
                + " keys in low stages, and slower with every further stage.")
        .lines(
            "Mean latency of a get by the stage of its key, direct reads, no filters",
            Block.Axis.linear("stage of the key"),
            Block.Axis.linear("µs"),
            means)
        .add(
            new Block.Table(
                List.of("scheme", "stage", "trees", "entries", "mean get, µs", "p99, µs"), rows))
        .comparable(
            "the form of the curves: FC level, PA rising by one read a stage, the serial search by"
                + " one read a tree; the search of the last stage beside the others is as quick"
                + " there as in the first.")
        .blocks();
  }

  private static String label(SearchScheme scheme) {
    return switch (scheme) {
      case SERIAL -> "serial";
      case FIXED_COUNT -> "FC";
      case PRIORITY_AWARE -> "PA";
      case LAST_STAGE -> "last stage beside the others";
      case ADAPTIVE -> "adaptive";
    };
  }

  private static Block.Series curve(
      Reads reads, List<Stage> stages, SearchScheme scheme, List<List<String>> rows) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (Stage stage : stages) {
      Histogram nanos = reads.of(stage, scheme);
      x.add((double) stage.number());
      y.add(nanos.getMean() / 1000);
      rows.add(
          List.of(
              label(scheme),
              "stage " + stage.number(),
              Integer.toString(stage.trees()),
              Integer.toString(stage.entries()),
              Numbers.number(nanos.getMean() / 1000),
              Numbers.number(nanos.getValueAtPercentile(99) / 1000.0)));
    }
    return new Block.Series(label(scheme), x, y);
  }

  /** A stage that holds entries, as numbers of the order of insertion. */
  private record Stage(int number, int trees, int firstPlace, int entries) {}

  private static List<Stage> stages(ForestShape forest) {
    long place = forest.stages().stream().mapToLong(StageOfKey::entries).sum();
    List<Stage> stages = new ArrayList<>();
    for (ForestShape.Stage stage : forest.stages()) {
      int entries = (int) entries(stage);
      place -= entries;
      if (entries > 0) {
        stages.add(new Stage(stage.number(), stage.trees().size(), (int) place, entries));
      }
    }
    return stages;
  }

  private static long entries(ForestShape.Stage stage) {
    return stage.trees().stream().mapToLong(ForestShape.Tree::entries).sum();
  }

  /** The data and the reads of it. */
  private static final class Reads {
    private final Store store;
    private final Database database;
    private final int entries;
    private final Dataset dataset;
    private final SplittableRandom random = new SplittableRandom(SEED);

    Reads(Store store, int entries) {
      this.store = store;
      this.database = store.database();
      this.entries = entries;
      this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
    }

    void load() {
      for (int place = 0; place < entries; place++) {
        int entry = dataset.inserted(place);
        database.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
      }
      store.flush();
      store.awaitIdle();
    }

    Histogram of(Stage stage, SearchScheme scheme) {
      ReadOptions options = ReadOptions.builder().searchScheme(scheme).build();
      for (int i = 0; i < WARM_UP_READS; i++) {
        read(random.nextInt(entries), options);
      }
      Histogram nanos = new Histogram(3);
      for (int i = 0; i < READS_A_STAGE; i++) {
        nanos.recordValue(read(stage.firstPlace() + random.nextInt(stage.entries()), options));
      }
      return nanos;
    }

    private long read(int place, ReadOptions options) {
      int entry = dataset.inserted(place);
      byte[] key = dataset.keys().key(entry);
      long start = System.nanoTime();
      byte[] value = database.get(key, options);
      long nanos = System.nanoTime() - start;
      if (value == null || !dataset.values().matches(value, entry, 1)) {
        throw new IllegalStateException("entry " + entry + " has a wrong value");
      }
      return nanos;
    }
  }
}
