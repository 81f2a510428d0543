package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gets while one more thread writes as fast as it can. */
final class ReadWhileWriting implements Experiment {
  @Override
  public String name() {
    return "read-while-writing";
  }

  @Override
  public String title() {
    return "gets while another thread overwrites (readwhilewriting of db_bench; in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    rows.put("gets/s", figures(laboratory, findings, Kind.GETS));
    rows.put("p99 of a get, µs", figures(laboratory, findings, Kind.TAIL));
    rows.put("overwrites/s beside", figures(laboratory, findings, Kind.WRITES));
    rows.forEach(
        (name, figures) ->
            findings.contest(
                "read while writing: " + name,
                name.contains("µs") ? Measure.TIME : Measure.RATE,
                figures));
    Map<String, Double> gets = rows.getOrDefault("gets/s", Map.of());
    Map<String, Double> writes = rows.getOrDefault("overwrites/s beside", Map.of());
    List<String> stores = BaseRun.stores();
    return findings
        .add(
            new Block.BarPlot(
                "Gets and overwrites beside them",
                Block.Axis.logarithmic("operations a second"),
                stores,
                List.of(
                    new Block.Bars("gets", stores.stream().map(gets::get).toList()),
                    new Block.Bars("overwrites", stores.stream().map(writes::get).toList()))))
        .add(BaseRun.table(rows))
        .comparable(
            "the stores with each other, with filters where a store has any. A store that lets the"
                + " writer write more has more compactions beside its gets.");
  }

  private enum Kind {
    GETS,
    TAIL,
    WRITES
  }

  private static Map<String, Double> figures(Laboratory laboratory, Findings findings, Kind kind) {
    return findings.figures(
        Laboratory.LSM_STORES,
        store -> laboratory.attempt(spec(laboratory, store), Workload.READWHILEWRITING),
        result -> figure(result, kind));
  }

  private static double figure(RunResult result, Kind kind) {
    return switch (kind) {
      case GETS -> result.opsPerSecond();
      case TAIL -> result.latencies().p99Micros();
      case WRITES -> result.operationsBeside() / result.seconds();
    };
  }

  private static RunSpec spec(Laboratory laboratory, StoreKind store) {
    RunSpec plain = laboratory.spec(store, Workload.FILLRANDOM, Workload.READWHILEWRITING);
    return plain.withTerms(plain.terms().withBloom(true).keptBy(store));
  }
}
