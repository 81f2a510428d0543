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
import java.util.List;

/** Write amplification and read latency by growth factor. */
final class GrowthFactor implements Experiment {
  private static final List<Integer> FACTORS = List.of(4, 8, 16);
  private static final List<StoreKind> STORES = List.of(StoreKind.SIFR, StoreKind.ROCKSDB);

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
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "a forest writes each byte once per stage, log_f(D/c₁) times; a tree f/2 times as"
                    + " often. So a larger factor means more writing in LevelDB and less in"
                    + " Size-Tiered (Fig. 2a), and more trees to read in a forest (Fig. 3). The"
                    + " curves are given only as pictures.");
    List<Block.Series> amplification = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    for (StoreKind store : STORES) {
      for (int factor : FACTORS) {
        RunSpec plain = laboratory.spec(store, Workload.FILLRANDOM, Workload.READRANDOM);
        RunSpec spec = plain.withTerms(plain.terms().withGrowthFactor(factor));
        String name = store.label() + " f=" + factor;
        Attempt load = laboratory.attempt(spec, Workload.FILLRANDOM);
        Attempt read = laboratory.attempt(spec, Workload.READRANDOM);
        load.result().ifPresent(result -> amplification.add(curve(name, result)));
        rows.add(
            List.of(
                name,
                Findings.cell(findings.figure(name, load, GrowthFactor::amplification)),
                runs(load),
                Findings.cell(
                    findings.figure(name, read, result -> result.latencies().meanMicros()))));
      }
    }
    return findings
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
                + " here, and RocksDB represents LevelDB. Reads are answered from the page"
                + " cache, without filters.")
        .blocks();
  }

  private static double amplification(RunResult result) {
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
