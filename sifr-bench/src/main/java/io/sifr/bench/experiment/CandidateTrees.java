package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Trees that may hold a key. */
final class CandidateTrees {
  private static final int GROWTH_FACTOR = 4;

  /** The number of counts of the trees during a load. */
  private static final int COUNTS = 12;

  private CandidateTrees() {}

  static void run(Laboratory laboratory, Findings findings) {
    String after = "sorted runs after the load";
    Runs base = Runs.base(laboratory, findings);
    Grid runs = base.grid().row(after, base.figures(Workload.FILLRANDOM, RunResult::sortedRuns));
    Course course = load(laboratory);
    findings
        .fact("growthFactor", GROWTH_FACTOR)
        .table(runs)
        .lines(
            "Trees of a forest, by the number of entries",
            Block.Axis.linear("entries, millions"),
            Block.Axis.linear("trees"),
            List.of(
                new Block.Series("sifr", course.millions, course.trees),
                new Block.Series("model: digits of the flushes", course.millions, course.digits)))
        .claim(
            "TPDS Table 4",
            "SifrDB has as many candidate trees as Size-Tiered (17)",
            runs.ratio(after, "sifr", "sifr-tiered").within(0.8, 1.25))
        .claim(
            "TPDS Table 4",
            "LevelDB has 7 candidate trees for 17 of SifrDB",
            runs.ratio(after, "sifr-leveled", "sifr").atMost(0.7))
        .claim(
            "the model of a forest",
            "a forest has as many trees as the digits of its flushes in base f add up to",
            Measured.fact(
                course.equal + " of " + course.trees.size() + " counts equal the model's",
                course.equal == course.trees.size()))
        .contest("sorted runs after a random load", Measure.AMOUNT, runs.row(after));
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
            .writeBufferBytes(Laboratory.WRITE_BUFFER_BYTES)
            .compaction(CompactionPolicy.splitForest(GROWTH_FACTOR))
            .build();
    RandomLoad load = new RandomLoad(entries);
    return laboratory.inDirectory(
        "candidate-trees",
        directory -> {
          try (Store store = Store.builder(directory).options(options).listener(counter).open()) {
            for (int count = 1; count <= COUNTS; count++) {
              load.putUpTo(store, (int) ((long) entries * count / COUNTS));
              store.flush();
              store.awaitIdle();
              course.add(
                  load.acknowledged(), (int) store.statistics().get(Metric.TREES), flushes.get());
            }
          }
          return course;
        });
  }
}
