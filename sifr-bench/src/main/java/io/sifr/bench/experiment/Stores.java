package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.List;
import java.util.OptionalInt;

/** The usual work, by the stores that most programs in Java choose from. */
final class Stores {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR, StoreKind.ROCKSDB, StoreKind.LEVELDB, StoreKind.MVSTORE, StoreKind.LMDB);

  /** A store that commits each write would take half an hour for millions of them. */
  private static final int MOST_SECONDS = 60;

  private static final String LOAD = "random load, thousand/s";
  private static final String WRITTEN = "bytes written per byte, log included";
  private static final String GETS = "gets, thousand/s";
  private static final String ABSENT = "gets of absent keys, thousand/s";
  private static final String SEEKS = "seeks, thousand/s";
  private static final String SCANS = "scans of 100, thousand/s";
  private static final String OVERWRITES = "overwrites, thousand/s";
  private static final String SPACE = "space after the load, bytes per byte";

  private Stores() {}

  static void run(Laboratory laboratory, Findings findings) {
    Runs runs =
        new Runs(
            laboratory,
            findings,
            STORES,
            store ->
                Runs.baseSpec(laboratory, store)
                    .withTimeLimitSeconds(OptionalInt.of(MOST_SECONDS))
                    .withTerms(terms -> terms.withBloom(true).keptBy(store)));
    Grid rates =
        runs.grid()
            .row(LOAD, runs.figures(Workload.FILLRANDOM, Stores::thousandADrainedSecond))
            .row(GETS, runs.figures(Workload.READRANDOM, Stores::thousandASecond))
            .row(ABSENT, runs.figures(Workload.READMISSING, Stores::thousandASecond))
            .row(SEEKS, runs.figures(Workload.SEEKRANDOM, Stores::thousandASecond))
            .row(SCANS, runs.figures(Workload.SCAN, Stores::thousandASecond))
            .row(OVERWRITES, runs.figures(Workload.OVERWRITE, Stores::thousandADrainedSecond));
    Grid amounts =
        runs.grid()
            .row(WRITTEN, runs.figures(Workload.FILLRANDOM, RunResult::writeAmplificationWithLog))
            .row(
                SPACE,
                runs.figures(
                    Workload.FILLRANDOM,
                    result -> (double) result.finalDiskBytes() / result.userBytes()));
    findings
        .add(rates.bars("Operations per second", Block.Axis.logarithmic("thousand/s")))
        .contests("usual work: ", Measure.RATE, rates, rates.rows())
        .contests("usual work: ", Measure.AMOUNT, amounts, amounts.rows())
        .summary(rates.and(amounts));
  }

  private static double thousandASecond(RunResult result) {
    return result.opsPerSecond() / 1000;
  }

  private static double thousandADrainedSecond(RunResult result) {
    return result.opsPerSecondDrained() / 1000;
  }
}
