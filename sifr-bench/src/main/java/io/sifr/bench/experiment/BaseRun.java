package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;

/** The run that several experiments share: a random load, then reads of the loaded store. */
final class BaseRun {
  private BaseRun() {}

  static Attempt attempt(Laboratory laboratory, StoreKind store, Workload workload) {
    RunSpec spec =
        laboratory.spec(
            store, Workload.FILLRANDOM, Workload.READRANDOM, Workload.SEEKRANDOM, Workload.SCAN);
    return laboratory.attempt(spec, workload);
  }
}
