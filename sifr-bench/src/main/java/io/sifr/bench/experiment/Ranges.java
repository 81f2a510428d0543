package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import io.sifr.bench.workload.Workload;
import java.util.OptionalLong;

/** Range queries. */
final class Ranges {
  private Ranges() {}

  static void run(Laboratory laboratory, Findings findings) {
    String scans = "100 entries, from disk";
    Runs cached = Runs.base(laboratory, findings);
    Runs direct = new Runs(laboratory, findings);
    for (StoreKind store : Laboratory.LSM_STORES) {
      if (store.supports(Term.DIRECT_READS)) {
        direct.addOnKeptFill(
            store.label(),
            laboratory
                .uncachedSpec(store, Workload.FILLRANDOM, Workload.SEEKRANDOM, Workload.SCAN)
                .withTerms(terms -> terms.withDirectReads(Laboratory.SMALL_CACHE_BYTES)),
            OptionalLong.empty());
      }
    }
    Grid rates = new Grid("queries/s", cached.names());
    rates
        .row("1 entry, cached", cached.figures(Workload.SEEKRANDOM, RunResult::opsPerSecond))
        .row("1 entry, from disk", direct.figures(Workload.SEEKRANDOM, RunResult::opsPerSecond))
        .row("100 entries, cached", cached.figures(Workload.SCAN, RunResult::opsPerSecond))
        .row(scans, direct.figures(Workload.SCAN, RunResult::opsPerSecond));
    findings
        .contests("range queries/s, ", Measure.RATE, rates, rates.rows())
        .add(
            rates.bars(
                "Range queries a second from a random key",
                Block.Axis.logarithmic("queries a second")))
        .summary(rates)
        .timeClaim(
            "TPDS §5.3.4",
            "Size-Tiered answers range queries at half the rate of LevelDB",
            rates.ratio(scans, "sifr-tiered", "sifr-leveled").within(0.35, 0.65));
  }
}
