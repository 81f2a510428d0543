package io.sifr.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.Specs;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Report.Section;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final List<StoreKind> STORES =
      List.of(StoreKind.SIFR, StoreKind.ROCKSDB, StoreKind.LMDB);

  private final List<String> told = new ArrayList<>();

  private static List<RunSpec> specs(List<StoreKind> stores) {
    return stores.stream()
        .map(store -> Specs.of(store, List.of(Workload.FILLRANDOM, Workload.READRANDOM), 10, 10, 1))
        .toList();
  }

  private List<Outcome> run(int rounds, Results results) {
    return new Comparison(specs(STORES), rounds, OptionalLong.empty(), results::of)
        .run((store, round, run, runs) -> told.add(round + " " + store.label()));
  }

  /** Made-up results. */
  private interface Results {
    List<RunResult> of(RunSpec spec, OptionalLong memory);
  }

  private static List<RunResult> rates(RunSpec spec, double fill, double read) {
    return List.of(
        MadeUp.result(spec.store(), "fillrandom", fill),
        MadeUp.result(spec.store(), "readrandom", read));
  }

  @Test
  void theOrderChangesFromRoundToRound() {
    run(3, (spec, memory) -> rates(spec, 1, 1));
    assertThat(told)
        .containsExactly(
            "1 sifr",
            "1 rocksdb",
            "1 lmdb",
            "2 rocksdb",
            "2 lmdb",
            "2 sifr",
            "3 lmdb",
            "3 sifr",
            "3 rocksdb");
  }

  @Test
  void ratiosAreThoseWithinARound() {
    double[] pace = {1, 10, 100}; // the machine becomes faster and faster
    int[] calls = new int[StoreKind.values().length];
    List<Outcome> outcomes =
        run(
            3,
            (spec, memory) -> {
              double now = pace[calls[STORES.indexOf(spec.store())]++];
              return rates(spec, spec.store() == StoreKind.SIFR ? 300 * now : 100 * now, now);
            });
    Standing standing = new Standing(outcomes, 0, Metric.OPS);
    assertThat(standing.firstAgainst(outcomes.get(1))).contains(new Spread(3, 3, 3));
    assertThat(standing.figures(outcomes.get(1))).contains(new Spread(1000, 100, 10_000));
    assertThat(standing.firstLosesTo(outcomes.get(1))).isFalse();
  }

  @Test
  void aStoreThatFailsIsLeftOutAndTheOthersGoOn() {
    List<Outcome> outcomes =
        run(
            2,
            (spec, memory) -> {
              if (spec.store() == StoreKind.LMDB) {
                throw MadeUp.failure(ExitCodes.WRONG_ANSWER);
              }
              return rates(spec, 1, 1);
            });
    assertThat(told).containsExactly("1 sifr", "1 rocksdb", "1 lmdb", "2 rocksdb", "2 sifr");
    assertThat(outcomes).extracting(outcome -> outcome.rounds().size()).containsExactly(2, 2, 0);
    assertThat(outcomes.get(2).failure())
        .hasValueSatisfying(
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCodes.WRONG_ANSWER));
    assertThat(text(new ComparisonReport(outcomes).sections())).contains("lmdb", "exit code 3");
  }

  @Test
  void aTermAStoreCannotKeepIsLiftedForItAloneAndToldOf() {
    List<RunSpec> given = new ArrayList<>();
    List<RunSpec> specs =
        specs(STORES).stream().map(spec -> spec.withTerms(spec.terms().withBloom(true))).toList();
    List<Outcome> outcomes =
        new Comparison(
                specs,
                1,
                OptionalLong.of(77),
                (spec, memory) -> {
                  assertThat(memory).hasValue(77);
                  given.add(spec);
                  return rates(spec, 1, 1);
                })
            .run((store, round, run, runs) -> {});
    assertThat(given).extracting(spec -> spec.terms().bloom()).containsExactly(true, true, false);
    assertThat(outcomes.get(2).broken()).containsExactly(Term.BLOOM);
    assertThat(text(new ComparisonReport(outcomes).sections()))
        .contains("lmdb was run without: bloom");
  }

  @Test
  void whereTheFirstLosesComesFirst() {
    List<Outcome> outcomes =
        run(
            1,
            (spec, memory) ->
                switch (spec.store()) {
                  case SIFR -> rates(spec, 500, 200);
                  case ROCKSDB -> rates(spec, 100, 300);
                  default -> rates(spec, 50, 400);
                });
    List<Section> sections = new ComparisonReport(outcomes).sections();
    assertThat(sections.get(0).title()).isEqualTo("Too short to be taken at their word");
    assertThat(text(sections.subList(0, 1))).contains("Short runs: ", "took 1.00 s");
    Section losses = sections.get(1);
    assertThat(losses.title()).isEqualTo("Where sifr loses");
    Block.Table table = (Block.Table) losses.blocks().get(1);
    assertThat(table.rows())
        .containsExactly(List.of("readrandom, ops/s", "200", "lmdb", "400", "0.50"));
    Section wins = sections.get(2);
    assertThat(wins.title()).isEqualTo("Where sifr wins");
    assertThat(((Block.Table) wins.blocks().get(1)).rows())
        .containsExactly(
            List.of("fillrandom, ops/s", "500", "rocksdb", "100", "5.00"),
            List.of("fillrandom, ops/s drained", "500", "rocksdb", "100", "5.00"));
  }

  @Test
  void withoutAnyResultThereIsStillAReport() {
    List<Outcome> outcomes =
        run(
            1,
            (spec, memory) -> {
              throw MadeUp.failure(ExitCodes.FAILED);
            });
    assertThat(text(new ComparisonReport(outcomes).sections()))
        .contains("sifr: ", "rocksdb: ", "exit code 4");
  }

  @Test
  void atLeastOneRoundIsNeeded() {
    assertThatThrownBy(
            () ->
                new Comparison(specs(STORES), 0, OptionalLong.empty(), (spec, memory) -> List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rounds is 0; allowed: 1 and more");
  }

  @Test
  void medianAndRange() {
    assertThat(Spread.of(List.of(5.0, 1.0, 9.0))).isEqualTo(new Spread(5, 1, 9));
    assertThat(Spread.of(List.of(4.0, 1.0))).isEqualTo(new Spread(2.5, 1, 4));
    assertThat(Spread.of(List.of(2.0)).text()).isEqualTo("2.00");
    assertThat(new Spread(1234.4, 0, 12.34).text()).isEqualTo("1,234 (0–12.3)");
  }

  private static String text(List<Section> sections) {
    return sections.toString();
  }
}
