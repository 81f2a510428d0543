package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.report.MarkdownReport;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final List<StoreKind> run = new ArrayList<>();
  private BooleanSupplier isTimeUp = () -> false;

  private Laboratory laboratory(int rounds, BiFunction<RunSpec, Integer, List<RunResult>> runner) {
    return new Laboratory(
        Scale.TINY,
        rounds,
        () -> isTimeUp.getAsBoolean(),
        Path.of("unused"),
        (spec, memory) -> {
          run.add(spec.store());
          return runner.apply(spec, (int) run.stream().filter(spec.store()::equals).count());
        },
        what -> {});
  }

  private static List<RunResult> rates(RunSpec spec, double rate) {
    return spec.workloads().stream()
        .map(workload -> MadeUp.result(spec.store(), workload.label(), rate))
        .toList();
  }

  @Test
  void theMedianRoundCounts() {
    double[] rates = {300, 100, 200};
    Laboratory laboratory = laboratory(3, (spec, round) -> rates(spec, rates[round - 1]));
    RunSpec spec = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM);
    assertThat(rate(laboratory, spec)).isEqualTo(300);
    assertThat(laboratory.rounds().repeat()).isTrue();
    assertThat(rate(laboratory, spec)).isEqualTo(200);
    assertThat(laboratory.rounds().repeat()).isFalse();
    assertThat(run).hasSize(3);
    assertThat(laboratory.rounds().spread()).get().asString().contains("100 % apart in the median");
  }

  @Test
  void storesTakeTurns() {
    Results results =
        Experiments.run(
            "growth-factor", laboratory(2, (spec, round) -> rates(spec, 1000)), found -> {});
    int runs = run.size() / 2;
    assertThat(run).hasSize(2 * runs);
    assertThat(run.subList(runs, 2 * runs))
        .containsExactlyInAnyOrderElementsOf(run.subList(0, runs));
    assertThat(MarkdownReport.text(results.report())).contains("ran 2 times, in turns");
  }

  @Test
  void oneRoundIsNotRepeated() {
    Laboratory laboratory = laboratory(1, (spec, round) -> rates(spec, 1000));
    rate(laboratory, laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM));
    assertThat(laboratory.rounds().repeat()).isFalse();
    assertThat(run).hasSize(1);
    assertThat(laboratory.rounds().spread()).isEmpty();
  }

  /** A round that has begun is done to its end: otherwise stores would differ in their number. */
  @Test
  void noRoundBeginsWhenTheTimeIsUp() {
    Laboratory laboratory = laboratory(9, (spec, round) -> rates(spec, 1000));
    RunSpec one = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM);
    RunSpec other = laboratory.spec(StoreKind.ROCKSDB, Workload.FILLRANDOM);
    rate(laboratory, one);
    rate(laboratory, other);
    isTimeUp = () -> run.size() >= 5;
    assertThat(laboratory.rounds().repeat()).isTrue();
    assertThat(run).hasSize(6);
    assertThat(laboratory.rounds().spread()).get().asString().contains("ran 3 to 9 times");
    assertThat(laboratory.rounds().repeat()).isFalse();
  }

  @Test
  void theShortestExperimentIsRepeatedFirst() {
    Laboratory laboratory =
        laboratory(
            2,
            (spec, round) -> {
              if (spec.store() == StoreKind.SIFR) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
              }
              return rates(spec, 1000);
            });
    laboratory.rounds().begin("long");
    rate(laboratory, laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM));
    laboratory.rounds().begin("short");
    rate(laboratory, laboratory.spec(StoreKind.ROCKSDB, Workload.FILLRANDOM));
    laboratory.rounds().repeat();
    assertThat(run)
        .containsExactly(StoreKind.SIFR, StoreKind.ROCKSDB, StoreKind.ROCKSDB, StoreKind.SIFR);
  }

  /** The rest may take hours. */
  @Test
  void whatIsFoundIsToldAfterEachExperiment() {
    List<Integer> sections = new ArrayList<>();
    Experiments.run(
        "write",
        laboratory(2, (spec, round) -> rates(spec, 1000)),
        found -> {
          sections.add(found.report().sections().size());
          run.clear();
        });
    assertThat(sections).containsExactly(3);
    assertThat(run).isNotEmpty();
  }

  /** Of two rounds there is no middle one. */
  @Test
  void theLowerRateOfTwoCounts() {
    Laboratory laboratory = laboratory(2, (spec, round) -> rates(spec, 100 * round));
    RunSpec spec = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM);
    rate(laboratory, spec);
    laboratory.rounds().repeat();
    assertThat(rate(laboratory, spec)).isEqualTo(100);
  }

  /** The second time it is copied, so a result of it would be missing. */
  @Test
  void aKeptFillIsNotRepeated() {
    Laboratory laboratory = laboratory(3, (spec, round) -> rates(spec, 1000));
    RunSpec spec = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM, Workload.READRANDOM);
    laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, OptionalLong.empty());
    laboratory.rounds().repeat();
    assertThat(run).hasSize(1 + 3);
  }

  @Test
  void aRoundThatFailsIsNotLeftOut() {
    Laboratory laboratory =
        laboratory(
            2,
            (spec, round) -> {
              if (round == 2) {
                throw MadeUp.failure(ExitCodes.FAILED);
              }
              return rates(spec, 1000);
            });
    RunSpec spec = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM);
    assertThat(laboratory.attempt(spec, Workload.FILLRANDOM).result()).isPresent();
    laboratory.rounds().repeat();
    assertThat(laboratory.attempt(spec, Workload.FILLRANDOM).result()).isEmpty();
  }

  @Test
  void lessThanOneIsRefused() {
    assertThatThrownBy(() -> laboratory(0, (spec, round) -> List.of()))
        .hasMessage("rounds is 0; allowed: 1 and more");
  }

  private static double rate(Laboratory laboratory, RunSpec spec) {
    return laboratory
        .attempt(spec, Workload.FILLRANDOM)
        .result()
        .orElseThrow()
        .opsPerSecondDrained();
  }
}
