package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.config.ReadOptions;
import io.sifr.config.SearchScheme;
import io.sifr.event.ForestShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Latency of a read by the stage its key is in. Which stage that is follows from when the key was
 * inserted: the newest tree holds the keys inserted last, and so on.
 */
final class StageOfKey implements Experiment {
  private static final int READS_A_STAGE = 4_000;
  private static final int WARM_UP_READS = 1_000;
  private static final long CACHE_BYTES = 1 << 20;

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
    laboratory.tell("sifr: load");
    try (UncachedStore store =
        new UncachedStore(directory, laboratory.scale().entries(), CACHE_BYTES)) {
      List<Stage> stages = stages(store.forest());
      for (SearchScheme scheme : SearchScheme.values()) {
        laboratory.tell("sifr: reads by stage, " + UncachedStore.label(scheme));
        means.add(curve(store, stages, scheme, rows));
      }
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

  private static Block.Series curve(
      UncachedStore store, List<Stage> stages, SearchScheme scheme, List<List<String>> rows) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (Stage stage : stages) {
      Histogram nanos = latencies(store, stage, scheme);
      x.add((double) stage.number());
      y.add(nanos.getMean() / 1000);
      rows.add(
          List.of(
              UncachedStore.label(scheme),
              "stage " + stage.number(),
              Integer.toString(stage.trees()),
              Integer.toString(stage.entries()),
              Numbers.number(nanos.getMean() / 1000),
              Numbers.number(nanos.getValueAtPercentile(99) / 1000.0)));
    }
    return new Block.Series(UncachedStore.label(scheme), x, y);
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

  private static Histogram latencies(UncachedStore store, Stage stage, SearchScheme scheme) {
    ReadOptions options = UncachedStore.with(scheme);
    for (int i = 0; i < WARM_UP_READS; i++) {
      var unused = store.get(options);
    }
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < READS_A_STAGE; i++) {
      nanos.recordValue(store.getInserted(stage.firstPlace(), stage.entries(), options));
    }
    return nanos;
  }
}
