package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Write amplification and read latency by growth factor. */
final class GrowthFactor implements Experiment {
  private static final List<Integer> FACTORS = List.of(4, 8, 16);
  private static final List<StoreKind> STORES =
      List.of(StoreKind.SIFR, StoreKind.SIFR_TIERED, StoreKind.SIFR_LEVELED, StoreKind.ROCKSDB);

  /** With fewer table bytes a ratio means little, as the first tables are not written yet. */
  private static final long FIRST_BYTES = 1 << 20;

  @Override
  public String name() {
    return "growth-factor";
  }

  @Override
  public String title() {
    return "write amplification and read latency by growth factor (TPDS Figs. 2a and 3)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "a forest writes each byte once per stage, log_f(D/c₁) times; a tree f/2 times as"
                    + " often. So a larger factor means more writing in LevelDB and less in"
                    + " Size-Tiered (Fig. 2a), and more trees to read in a forest (Fig. 3). The"
                    + " curves are given only as pictures.");
    List<Block.Series> amplification = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    Map<String, Double> written = new HashMap<>();
    Map<String, Double> gets = new HashMap<>();
    for (StoreKind store : STORES) {
      for (int factor : FACTORS) {
        RunSpec plain = laboratory.spec(store, Workload.FILLRANDOM, Workload.READRANDOM);
        RunSpec spec = plain.withTerms(terms -> terms.withGrowthFactor(OptionalInt.of(factor)));
        String name = name(store, factor);
        Attempt load = laboratory.attempt(spec, Workload.FILLRANDOM);
        Attempt read = laboratory.attempt(spec, Workload.READRANDOM);
        load.result().ifPresent(result -> amplification.add(curve(name, result)));
        Double bytes = findings.figure(name, load, GrowthFactor::amplification);
        Double micros = findings.figure(name, read, result -> result.latencies().meanMicros());
        if (bytes != null && micros != null) {
          written.put(name, bytes);
          gets.put(name, micros);
        }
        rows.add(List.of(name, Findings.cell(bytes), runs(load), Findings.cell(micros)));
      }
    }
    addSummary(findings, written, gets);
    return findings
        .claim(
            "TPDS",
            "Fig. 2a",
            "with a larger factor Size-Tiered writes less",
            effect(written, StoreKind.SIFR_TIERED, false))
        .claim(
            "TPDS",
            "Fig. 2a",
            "with a larger factor LevelDB writes more",
            effect(written, StoreKind.SIFR_LEVELED, true)
                .and(effect(written, StoreKind.ROCKSDB, true)))
        .timeClaim(
            "TPDS",
            "Fig. 3",
            "with a larger factor Size-Tiered reads more slowly",
            effect(gets, StoreKind.SIFR_TIERED, true))
        .timeClaim(
            "TPDS",
            "Fig. 3",
            "with a larger factor LevelDB reads faster",
            effect(gets, StoreKind.SIFR_LEVELED, false))
        .lines(
            "Table bytes written per user byte during a random load",
            Block.Axis.linear("entries, millions"),
            Block.Axis.linear("write amplification"),
            amplification)
        .add(
            new Block.Table(
                List.of("store", "write amplification, drained", "sorted runs", "mean get, µs"),
                rows))
        .comparable(
            "the direction in which the factor moves each curve, and the ratio of the two models."
                + " Not the height: it grows with the logarithm of the data, which is smaller"
                + " here. Reads are answered from the page"
                + " cache, without filters.");
  }

  /** What the largest factor does in comparison with the smallest. */
  private static Measured effect(Map<String, Double> figures, StoreKind store, boolean raises) {
    String few = name(store, FACTORS.get(0));
    String many = name(store, FACTORS.get(FACTORS.size() - 1));
    return Measured.ratio(
        many,
        figures.get(many),
        "f=" + FACTORS.get(0),
        figures.get(few),
        raises ? 1.05 : 0,
        raises ? Double.MAX_VALUE : 0.95);
  }

  private static void addSummary(
      Findings findings, Map<String, Double> written, Map<String, Double> gets) {
    List<String> columns = new ArrayList<>();
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (int factor : FACTORS) {
      columns.add("bytes/byte f=" + factor);
    }
    for (int factor : FACTORS) {
      columns.add("get, µs f=" + factor);
    }
    for (StoreKind store : STORES) {
      Map<String, Double> row = new HashMap<>();
      for (int factor : FACTORS) {
        String name = name(store, factor);
        if (written.containsKey(name) && gets.containsKey(name)) {
          row.put("bytes/byte f=" + factor, written.getOrDefault(name, 0.0));
          row.put("get, µs f=" + factor, gets.getOrDefault(name, 0.0));
        }
      }
      rows.put(store.label(), row);
    }
    findings.summary("store", columns, rows);
  }

  private static String name(StoreKind store, int factor) {
    return store.label() + " f=" + factor;
  }

  /** Bytes of tables per user byte, without the log, as the papers count. */
  static double amplification(RunResult result) {
    Double amplification = result.writeAmplification();
    return amplification == null ? Double.NaN : amplification;
  }

  private static String runs(Attempt attempt) {
    return attempt.result().map(RunResult::sortedRuns).map(Figures::count).orElse(Numbers.NONE);
  }

  private static Block.Series curve(String name, RunResult result) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double bytesAnOperation = (double) result.userBytes() / result.operations();
    for (Sample sample : result.samples()) {
      if (sample.tableBytes() >= FIRST_BYTES) {
        x.add(sample.operations() / 1e6);
        y.add(sample.tableBytes() / (sample.operations() * bytesAnOperation));
      }
    }
    return new Block.Series(name, x, y);
  }
}
