package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Trees that may hold a key. */
final class CandidateTrees implements Experiment {
  private static final int GROWTH_FACTOR = 4;

  /** How often the trees are counted during a load. */
  private static final int COUNTS = 12;

  @Override
  public String name() {
    return "candidate-trees";
  }

  @Override
  public String title() {
    return "trees that may hold a key, during and after a random load (TPDS Table 4)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "17 trees in SifrDB and Size-Tiered, 11 to 19 in PebblesDB, 9 in RocksDB, 7 in"
                    + " LevelDB (118 GB of data).");
    Map<String, Double> runs =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, CandidateTrees::sortedRuns);
    Course course = load(laboratory);
    Double forest = runs.get("sifr");
    return findings
        .add(BaseRun.table(Map.of("sorted runs after the load", runs)))
        .lines(
            "Trees of a forest, by the number of entries",
            Block.Axis.linear("entries, millions"),
            Block.Axis.linear("trees"),
            List.of(
                new Block.Series("sifr", course.millions, course.trees),
                new Block.Series("model: digits of the flushes", course.millions, course.digits)))
        .claim(
            "TPDS",
            "Table 4",
            "SifrDB has as many candidate trees as Size-Tiered (17)",
            Measured.ratio("sifr", forest, "sifr-tiered", runs.get("sifr-tiered"), 0.8, 1.25))
        .claim(
            "TPDS",
            "Table 4",
            "LevelDB has 7 candidate trees for 17 of SifrDB",
            Measured.ratio("sifr-leveled", runs.get("sifr-leveled"), "sifr", forest, 0, 0.7))
        .claim(
            "the model",
            "of a forest",
            "a forest has as many trees as the digits of its flushes in base f add up to",
            Measured.fact(
                course.equal + " of " + course.trees.size() + " counts equal the model's",
                course.equal == course.trees.size()))
        .contest("sorted runs after a random load", Measure.AMOUNT, runs)
        .comparable(
            "the order of the stores, as far as there are several stages. The numbers change with"
                + " every flush: the model is the digit sum of the number of flushes in base "
                + GROWTH_FACTOR
                + ", when compactions are done.");
  }

  private static double sortedRuns(RunResult result) {
    Integer runs = result.sortedRuns();
    return runs == null ? Double.NaN : runs;
  }

  /** The trees during a load of a forest. */
  private static final class Course {
    private final List<Double> millions = new ArrayList<>();
    private final List<Double> trees = new ArrayList<>();
    private final List<Double> digits = new ArrayList<>();
    private int equal;

    private void add(int entries, int counted, int flushes) {
      int sum = 0;
      for (int rest = flushes; rest > 0; rest /= GROWTH_FACTOR) {
        sum += rest % GROWTH_FACTOR;
      }
      millions.add(entries / 1e6);
      trees.add((double) counted);
      digits.add((double) sum);
      equal += counted == sum ? 1 : 0;
    }
  }

  private static Course load(Laboratory laboratory) {
    laboratory.tell("sifr: trees during a random load");
    Path directory = laboratory.directory().resolve("sifr-bench-candidate-trees");
    int entries = laboratory.scale().entries();
    Course course = new Course();
    AtomicInteger flushes = new AtomicInteger();
    StoreListener counter =
        new StoreListener() {
          @Override
          public void flushed(FlushEvent event) {
            flushes.incrementAndGet();
          }
        };
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(RandomLoad.WRITE_BUFFER_BYTES)
            .growthFactor(GROWTH_FACTOR)
            .build();
    RandomLoad load = new RandomLoad(entries);
    try (Store store = Store.builder(directory).options(options).listener(counter).open()) {
      for (int count = 1; count <= COUNTS; count++) {
        load.putUpTo(store, (int) ((long) entries * count / COUNTS));
        store.flush();
        store.awaitIdle();
        course.add(load.acknowledged(), (int) store.statistics().get(Metric.TREES), flushes.get());
      }
    } finally {
      DiskSpace.delete(directory);
    }
    return course;
  }
}
