package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.config.MergeTrigger;
import io.sifr.config.SearchScheme;
import io.sifr.event.ForestShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Latency of a read by the stage of its key. The stage follows from when the key was inserted: the
 * newest tree holds the keys inserted last, and so on.
 */
final class StageOfKey implements Experiment {
  private static final int WARM_UP_TURNS = 10;

  /**
   * The speed of a device varies from second to second, so the schemes take turns of a few reads.
   */
  private static final int READS_A_TURN = 20;

  private static final long BLOCK_CACHE_BYTES = 1 << 20;

  /** The index is in memory; it takes about a byte an entry. */
  private static final int INDEX_BYTES_AN_ENTRY = 2;

  @Override
  public String name() {
    return "stage-of-key";
  }

  @Override
  public String title() {
    return "latency of a read by the stage of its key (TPDS Fig. 13)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Path directory = laboratory.directory().resolve("sifr-bench-stage-of-key");
    List<Stage> stages;
    List<Map<SearchScheme, Histogram>> latencies = new ArrayList<>();
    int entries = laboratory.scale().entries();
    laboratory.tell("sifr: load");
    try (UncachedStore store =
        new UncachedStore(
            directory,
            entries,
            BLOCK_CACHE_BYTES + (long) INDEX_BYTES_AN_ENTRY * entries,
            MergeTrigger.LAZY)) {
      stages = stages(store.forest());
      for (Stage stage : stages) {
        laboratory.tell("sifr: reads of stage " + stage.number());
        latencies.add(latencies(store, stage, laboratory.scale().uncachedReadsOfMany()));
      }
    }
    List<List<String>> rows = new ArrayList<>();
    List<Block.Series> means = new ArrayList<>();
    for (SearchScheme scheme : SearchScheme.values()) {
      means.add(curve(stages, latencies, scheme, rows));
    }
    Findings findings = new Findings(laboratory.scale());
    addClaims(findings, means);
    return findings
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
                List.of(
                    "scheme", "stage", "trees", "entries", "mean get, µs", "p50, µs", "p99, µs"),
                rows))
        .comparable(
            "the shape of the curves: FC flat, PA rising by one read per stage, the serial search"
                + " by one read per tree. Searching the last stage beside the others waits for the"
                + " others, too, which may hold a newer version: for the last stage it saves the"
                + " reads of that stage, for the others it costs an additional parallel read.");
  }

  private static void addClaims(Findings findings, List<Block.Series> means) {
    List<Double> fixedCount = micros(means, SearchScheme.FIXED_COUNT);
    List<Double> priority = micros(means, SearchScheme.PRIORITY_AWARE);
    double most = Collections.max(fixedCount);
    int last = priority.size() - 1;
    boolean ascends = true;
    for (int stage = 1; stage <= last; stage++) {
      ascends &= priority.get(stage) > priority.get(stage - 1);
    }
    String courses =
        priority.stream()
            .map(Findings::cell)
            .collect(Collectors.joining(", ", "µs by stage: ", ""));
    findings
        .timeClaim(
            "TPDS",
            "Fig. 13",
            "FC takes the same time whichever of six stages the key is in",
            Measured.ratio("slowest, µs", most, "fastest", Collections.min(fixedCount), 1, 1.3))
        .timeClaim(
            "TPDS",
            "Fig. 13",
            "PA is faster than FC for keys in low stages",
            Measured.ratio(
                "PA in the first, µs", priority.get(0), "FC", fixedCount.get(0), 0, 0.95))
        .timeClaim(
            "TPDS",
            "Fig. 13",
            "PA is slower with every further stage",
            last == 0 ? Measured.nothing("one stage") : Measured.fact(courses, ascends));
    List<String> stages =
        means.get(0).x().stream().map(stage -> "stage " + Figures.count(stage)).toList();
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (Block.Series line : means) {
      Map<String, Double> row = new HashMap<>();
      for (int i = 0; i < stages.size(); i++) {
        row.put(stages.get(i), line.y().get(i));
      }
      rows.put(line.name(), row);
    }
    findings.summary("mean get, µs", stages, rows);
  }

  private static List<Double> micros(List<Block.Series> means, SearchScheme scheme) {
    return means.stream()
        .filter(line -> line.name().equals(UncachedStore.label(scheme)))
        .findFirst()
        .orElseThrow()
        .y();
  }

  private static Block.Series curve(
      List<Stage> stages,
      List<Map<SearchScheme, Histogram>> latencies,
      SearchScheme scheme,
      List<List<String>> rows) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      Histogram nanos = latencies.get(i).getOrDefault(scheme, new Histogram(3));
      x.add((double) stage.number());
      y.add(nanos.getMean() / 1000);
      rows.add(
          List.of(
              UncachedStore.label(scheme),
              "stage " + stage.number(),
              Integer.toString(stage.trees()),
              Integer.toString(stage.entries()),
              Numbers.number(nanos.getMean() / 1000),
              Numbers.number(nanos.getValueAtPercentile(50) / 1000.0),
              Numbers.number(nanos.getValueAtPercentile(99) / 1000.0)));
    }
    return new Block.Series(UncachedStore.label(scheme), x, y);
  }

  /** A stage with its entries, as numbers in the order of insertion. */
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

  private static Map<SearchScheme, Histogram> latencies(
      UncachedStore store, Stage stage, int reads) {
    SearchScheme[] schemes = SearchScheme.values();
    Map<SearchScheme, Histogram> latencies = new EnumMap<>(SearchScheme.class);
    for (int turn = -WARM_UP_TURNS; turn < reads / READS_A_TURN; turn++) {
      for (int i = 0; i < schemes.length; i++) {
        SearchScheme scheme = schemes[(i + Math.abs(turn)) % schemes.length];
        ReadOptions options = UncachedStore.with(scheme);
        Histogram nanos = latencies.computeIfAbsent(scheme, s -> new Histogram(3));
        for (int read = 0; read < READS_A_TURN; read++) {
          long took = store.getInserted(stage.firstPlace(), stage.entries(), options);
          if (turn >= 0) {
            nanos.recordValue(took);
          }
        }
      }
    }
    return latencies;
  }
}
