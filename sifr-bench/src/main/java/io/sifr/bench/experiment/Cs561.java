package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** The five small experiments of the CS561 report, on a quarter of the entries. */
final class Cs561 implements Experiment {
  private static final int SHARE = 4;

  private static final List<Integer> BUFFER_MIB = List.of(1, 4, 16, 64);

  private static final int USUAL_MIB = 4;

  /** The first level grows with the buffer. */
  private static final int FIRST_LEVEL_BUFFERS = 4;

  private static final StoreKind LEVELING = StoreKind.SIFR_LEVELED;
  private static final StoreKind TIERING = StoreKind.SIFR_TIERED;

  private static final Workload[] WORKLOADS = {
    Workload.FILLRANDOM, Workload.READRANDOM, Workload.YCSB_C, Workload.READHOT, Workload.OVERWRITE
  };

  @Override
  public String name() {
    return "cs561";
  }

  @Override
  public String title() {
    return "size of the buffer, skew, leveling and tiering (CS561 Figs. 10, 11, 13, 14 and 15)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "there is a best size of the first level (Fig. 10) and of a zone, which is a block"
                    + " (Fig. 11); work concentrated on few keys is faster (Fig. 13); tiering is"
                    + " better for work that writes, leveling for work that reads (Figs. 14, 15)."
                    + " 10,000 entries and 2,000 operations, on a laptop.");
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    Map<Integer, Double> byBuffer = new LinkedHashMap<>();
    for (int mib : BUFFER_MIB) {
      String name = "leveling, write buffer of " + mib + " MiB";
      Map<String, Double> row = row(findings, laboratory, name, LEVELING, mib);
      rows.put(name, row);
      putTime(byBuffer, mib, row);
    }
    Map<String, Double> leveling =
        rows.getOrDefault("leveling, write buffer of " + USUAL_MIB + " MiB", Map.of());
    Map<String, Double> tiering = row(findings, laboratory, "tiering", TIERING, USUAL_MIB);
    rows.put("tiering, write buffer of " + USUAL_MIB + " MiB", tiering);
    addPlot(findings, "write buffer, MiB", byBuffer);
    double many = Double.MAX_VALUE;
    List<String> columns = List.of(LOADS, OVERWRITES, GETS, ZIPFIAN, HOT);
    return findings
        .add(Findings.table("in a second", columns, rows))
        .timeClaim(
            "CS561",
            "Fig. 10",
            "there is a best size of the first level: smaller and larger ones are slower",
            best("MiB", byBuffer))
        .timeClaim(
            "CS561",
            "Fig. 11",
            "there is a best size of a zone: smaller and larger ones are slower",
            Measured.nothing("blocks are of 4 KiB and cannot be set"))
        .timeClaim(
            "CS561",
            "Fig. 13",
            "operations on concentrated keys are faster",
            Measured.ratio(
                    "Zipfian", leveling.get(ZIPFIAN), "uniform", leveling.get(GETS), 1.05, many)
                .and(
                    Measured.ratio(
                        "a hundredth", leveling.get(HOT), "all", leveling.get(GETS), 1.05, many)))
        .timeClaim(
            "CS561",
            "Fig. 14",
            "tiering is better for work that writes",
            Measured.ratio(
                "tiering",
                tiering.get(OVERWRITES),
                "leveling",
                leveling.get(OVERWRITES),
                1.05,
                many))
        .timeClaim(
            "CS561",
            "Fig. 15",
            "leveling is better for work that reads",
            Measured.ratio(
                "leveling", leveling.get(GETS), "tiering", tiering.get(GETS), 1.05, many))
        .comparable(
            "where the best size is, and the ratios of the policies. Reads bypass the page cache,"
                + " with a cache of 8 MiB, and there are no filters. The first level is as large as"
                + " four write buffers.");
  }

  private static final String LOADS = "loaded";
  private static final String OVERWRITES = "overwritten";
  private static final String GETS = "gets, uniform";
  private static final String ZIPFIAN = "Zipfian";
  private static final String HOT = "of a hundredth";

  private static Map<String, Double> row(
      Findings findings, Laboratory laboratory, String name, StoreKind store, int bufferMib) {
    Map<String, Double> row = new HashMap<>();
    RunSpec spec = spec(laboratory, store, bufferMib);
    put(row, LOADS, findings, laboratory, name, spec, 0, RunResult::opsPerSecondDrained);
    put(row, GETS, findings, laboratory, name, spec, 1, RunResult::opsPerSecond);
    put(row, ZIPFIAN, findings, laboratory, name, spec, 2, RunResult::opsPerSecond);
    put(row, HOT, findings, laboratory, name, spec, 3, RunResult::opsPerSecond);
    put(row, OVERWRITES, findings, laboratory, name, spec, 4, RunResult::opsPerSecondDrained);
    return row;
  }

  private static void put(
      Map<String, Double> row,
      String column,
      Findings findings,
      Laboratory laboratory,
      String name,
      RunSpec spec,
      int workload,
      ToDoubleFunction<RunResult> figure) {
    Double value = findings.figure(name, laboratory.attempt(spec, WORKLOADS[workload]), figure);
    if (value != null) {
      row.put(column, value);
    }
  }

  private static RunSpec spec(Laboratory laboratory, StoreKind store, int bufferMib) {
    RunSpec plain =
        laboratory.spec(
            store,
            Shape.PAPER,
            laboratory.scale().entries() / SHARE,
            OptionalInt.of(laboratory.scale().uncachedReads()),
            1,
            false,
            WORKLOADS);
    return plain.withTerms(
        plain
            .terms()
            .withDirectReads(Laboratory.SMALL_CACHE_BYTES)
            .withSetting("writeBufferBytes", bufferMib + "MiB")
            .withSetting("firstLevelBytes", FIRST_LEVEL_BUFFERS * bufferMib + "MiB"));
  }

  /** Microseconds of a put and a get. */
  private static void putTime(Map<Integer, Double> times, int size, Map<String, Double> row) {
    Double loads = row.get(LOADS);
    Double gets = row.get(GETS);
    if (loads != null && gets != null) {
      times.put(size, 1e6 / loads + 1e6 / gets);
    }
  }

  private static Measured best(String unit, Map<Integer, Double> times) {
    List<Integer> sizes = new ArrayList<>(times.keySet());
    if (sizes.size() < 3) {
      return Measured.nothing("not measured");
    }
    int best = sizes.get(0);
    for (int size : sizes) {
      best = times.getOrDefault(size, 0.0) < times.getOrDefault(best, 0.0) ? size : best;
    }
    return Measured.fact(
        "best of %d to %d %s: %d".formatted(sizes.get(0), sizes.get(sizes.size() - 1), unit, best),
        best != sizes.get(0) && best != sizes.get(sizes.size() - 1));
  }

  private static void addPlot(Findings findings, String axis, Map<Integer, Double> times) {
    findings.lines(
        "Time of a put and a get with leveling, by size of the " + axis.replaceAll(",.*", ""),
        Block.Axis.logarithmic(axis),
        Block.Axis.linear("µs"),
        List.of(
            new Block.Series(
                "sifr-leveled",
                times.keySet().stream().map(Integer::doubleValue).toList(),
                List.copyOf(times.values()))));
  }
}
