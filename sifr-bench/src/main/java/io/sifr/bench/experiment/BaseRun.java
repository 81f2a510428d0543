package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The run that several experiments share: a random load, then reads and overwrites. */
final class BaseRun {
  private BaseRun() {}

  static Attempt attempt(Laboratory laboratory, StoreKind store, Workload workload) {
    RunSpec spec =
        laboratory.spec(
            store,
            Workload.FILLRANDOM,
            Workload.READRANDOM,
            Workload.SEEKRANDOM,
            Workload.SCAN,
            Workload.READMISSING,
            Workload.OVERWRITE);
    return laboratory.attempt(spec, workload);
  }

  /** A figure of each store. */
  static Map<String, Double> figures(
      Laboratory laboratory,
      Findings findings,
      Workload workload,
      ToDoubleFunction<RunResult> figure) {
    return findings.figures(
        Laboratory.LSM_STORES, store -> attempt(laboratory, store, workload), figure);
  }

  /** Figures by store, one kind a row. */
  static Block.Table table(Map<String, Map<String, Double>> rows) {
    return Findings.table("", stores(), rows);
  }

  /** The names of the stores. */
  static List<String> stores() {
    return Laboratory.LSM_STORES.stream().map(StoreKind::label).toList();
  }
}
