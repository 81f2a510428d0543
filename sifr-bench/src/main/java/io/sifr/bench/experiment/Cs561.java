package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The five small experiments of the CS561 report, on a quarter of the entries. */
final class Cs561 {
  private static final int SHARE = 4;

  private static final List<Integer> BUFFER_MIB = List.of(1, 4, 16, 64);

  private static final int USUAL_MIB = 4;

  /** The first level grows with the buffer. */
  private static final int FIRST_LEVEL_BUFFERS = 4;

  private static final String LOADS = "loaded";
  private static final String OVERWRITES = "overwritten";
  private static final String GETS = "gets, uniform";
  private static final String ZIPFIAN = "Zipfian";
  private static final String HOT = "of a hundredth";

  private Cs561() {}

  static void run(Laboratory laboratory, Findings findings) {
    Runs runs = new Runs(laboratory, findings);
    for (int mib : BUFFER_MIB) {
      add(laboratory, runs, "leveling", StoreKind.SIFR_LEVELED, mib);
    }
    add(laboratory, runs, "tiering", StoreKind.SIFR_TIERED, USUAL_MIB);
    Grid grid =
        runs.table(
            "in a second",
            List.of(
                new Runs.Column(LOADS, Workload.FILLRANDOM, RunResult::opsPerSecondDrained),
                new Runs.Column(OVERWRITES, Workload.OVERWRITE, RunResult::opsPerSecondDrained),
                new Runs.Column(GETS, Workload.READRANDOM, RunResult::opsPerSecond),
                new Runs.Column(ZIPFIAN, Workload.YCSB_C, RunResult::opsPerSecond),
                new Runs.Column(HOT, Workload.READHOT, RunResult::opsPerSecond)));
    Block.Series times = times(grid);
    String leveling = name("leveling", USUAL_MIB);
    String tiering = name("tiering", USUAL_MIB);
    findings
        .lines(
            "Time of a put and a get with leveling, by size of the write buffer",
            Block.Axis.logarithmic("write buffer, MiB"),
            Block.Axis.linear("µs"),
            List.of(times))
        .table(grid)
        .timeClaim(
            "CS561 Fig. 10",
            "there is a best size of the first level: smaller and larger ones are slower",
            best(times))
        .timeClaim(
            "CS561 Fig. 11",
            "there is a best size of a zone: smaller and larger ones are slower",
            Measured.nothing("blocks are of 4 KiB and cannot be set"))
        .timeClaim(
            "CS561 Fig. 13",
            "operations on concentrated keys are faster",
            grid.ratio(leveling, ZIPFIAN, GETS)
                .atLeast(1.05)
                .and(grid.ratio(leveling, HOT, GETS).atLeast(1.05)))
        .timeClaim(
            "CS561 Fig. 14",
            "tiering is better for work that writes",
            grid.ratioOfRows(OVERWRITES, tiering, leveling).atLeast(1.05))
        .timeClaim(
            "CS561 Fig. 15",
            "leveling is better for work that reads",
            grid.ratioOfRows(GETS, leveling, tiering).atLeast(1.05));
  }

  private static void add(
      Laboratory laboratory, Runs runs, String policy, StoreKind store, int bufferMib) {
    runs.add(
        name(policy, bufferMib),
        laboratory
            .uncachedSpec(
                store,
                Workload.FILLRANDOM,
                Workload.READRANDOM,
                Workload.YCSB_C,
                Workload.READHOT,
                Workload.OVERWRITE)
            .withEntries(laboratory.scale().entries() / SHARE)
            .withTerms(terms -> terms(terms, store, bufferMib)));
  }

  private static Terms terms(Terms terms, StoreKind store, int bufferMib) {
    Terms common =
        terms
            .withDirectReads(Laboratory.SMALL_CACHE_BYTES)
            .withSetting("writeBufferBytes", bufferMib + "MiB");
    return store == StoreKind.SIFR_LEVELED
        ? common.withSetting(
            "compaction", "leveled:firstLevel=" + FIRST_LEVEL_BUFFERS * bufferMib + "MiB")
        : common;
  }

  private static String name(String policy, int bufferMib) {
    return policy + ", write buffer of " + bufferMib + " MiB";
  }

  /** Microseconds of a put and a get with leveling, by size of the write buffer. */
  private static Block.Series times(Grid grid) {
    List<Double> sizes = new ArrayList<>();
    List<Double> times = new ArrayList<>();
    for (int mib : BUFFER_MIB) {
      Double loads = grid.get(name("leveling", mib), LOADS);
      Double gets = grid.get(name("leveling", mib), GETS);
      if (loads != null && gets != null) {
        sizes.add((double) mib);
        times.add(1e6 / loads + 1e6 / gets);
      }
    }
    return new Block.Series("sifr-leveled", sizes, times);
  }

  private static Measured best(Block.Series times) {
    int last = times.x().size() - 1;
    if (last < 2) {
      return Measured.nothing("not measured");
    }
    int best = times.y().indexOf(Collections.min(times.y()));
    return Measured.fact(
        "best of %.0f to %.0f MiB: %.0f"
            .formatted(times.x().get(0), times.x().get(last), times.x().get(best)),
        best > 0 && best < last);
  }
}
