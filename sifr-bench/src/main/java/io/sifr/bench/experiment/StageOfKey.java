package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
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
  private static final int READS_A_STAGE = 20_000;
  private static final int WARM_UP_READS = 50_000;
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
    laboratory.tell("sifr: reads by stage");
    Path directory = laboratory.directory().resolve("sifr-bench-stage-of-key");
    List<List<String>> rows = new ArrayList<>();
    List<Double> stages = new ArrayList<>();
    List<Double> means = new ArrayList<>();
    try (Store store =
        Store.open(directory, StoreOptions.builder().writeBufferBytes(4 << 20).build())) {
      Reads reads = new Reads(store, laboratory.scale().entries());
      reads.load();
      for (Stage stage : stages(store.database().forest())) {
        Histogram nanos = reads.of(stage);
        stages.add((double) stage.number());
        means.add(nanos.getMean() / 1000);
        rows.add(
            List.of(
                "stage " + stage.number(),
                Integer.toString(stage.trees()),
                Integer.toString(stage.entries()),
                Numbers.number(nanos.getMean() / 1000),
                Numbers.number(nanos.getValueAtPercentile(99) / 1000.0)));
      }
    } finally {
      DiskSpace.delete(directory);
    }
    return new Findings()
        .paper(
            "FC takes the same time whichever of six stages the key is in. PA is faster than FC for"
                + " keys in low stages, and slower with every further stage.")
        .lines(
            "Mean latency of a get, serial search, data in the page cache",
            Block.Axis.linear("stage of the key"),
            Block.Axis.linear("µs"),
            List.of(new Block.Series("serial", stages, means)))
        .add(new Block.Table(List.of("stage", "trees", "entries", "mean get, µs", "p99, µs"), rows))
        .missing("FC and PA: Sifr searches its trees one after the other yet.")
        .comparable(
            "nothing yet. The serial search is what both schemes are to be measured against: it"
                + " takes longer with every tree before the right one.")
        .blocks();
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
      for (int i = 0; i < WARM_UP_READS; i++) {
        read(random.nextInt(entries));
      }
    }

    Histogram of(Stage stage) {
      Histogram nanos = new Histogram(3);
      for (int i = 0; i < READS_A_STAGE; i++) {
        nanos.recordValue(read(stage.firstPlace() + random.nextInt(stage.entries())));
      }
      return nanos;
    }

    private long read(int place) {
      int entry = dataset.inserted(place);
      byte[] key = dataset.keys().key(entry);
      long start = System.nanoTime();
      byte[] value = database.get(key);
      long nanos = System.nanoTime() - start;
      if (value == null || !dataset.values().matches(value, entry, 1)) {
        throw new IllegalStateException("entry " + entry + " has a wrong value");
      }
      return nanos;
    }
  }
}
