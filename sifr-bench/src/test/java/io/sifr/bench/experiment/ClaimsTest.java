package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Claim.Verdict;
import io.sifr.bench.process.ExitCodes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Verdicts and losses follow from the figures, and from nothing else. */
class ClaimsTest {
  @Test
  void aRatioWithinTheBoundsHolds() {
    assertThat(verdict(Measured.ratio("a", 6.0, "b", 3.0).within(1.5, 2.5)))
        .isEqualTo(Verdict.HOLDS);
    assertThat(verdict(Measured.ratio("a", 6.0, "b", 2.0).within(1.5, 2.5)))
        .isEqualTo(Verdict.DOES_NOT);
    assertThat(verdict(Measured.ratio("a", 2.0, "b", 6.0).within(1.5, 2.5)))
        .isEqualTo(Verdict.DOES_NOT);
  }

  @Test
  void bothPartsOfAStatementMustHold() {
    Measured right = Measured.value("a", 1.0).within(0, 2);
    Measured wrong = Measured.value("b", 3.0).within(0, 2);
    assertThat(verdict(right.and(right))).isEqualTo(Verdict.HOLDS);
    assertThat(verdict(right.and(wrong))).isEqualTo(Verdict.DOES_NOT);
    assertThat(verdict(wrong.and(right))).isEqualTo(Verdict.DOES_NOT);
    assertThat(right.and(wrong).text()).contains("a 1.00").contains("b 3.00");
  }

  @Test
  void withoutAFigureNothingIsSeen() {
    assertThat(verdict(Measured.value("a", null).within(0, 1))).isEqualTo(Verdict.CANNOT_BE_SEEN);
    assertThat(verdict(Measured.ratio("a", 1.0, "b", null).within(0, 1)))
        .isEqualTo(Verdict.CANNOT_BE_SEEN);
    assertThat(verdict(Measured.ratio("a", 1.0, "b", 0.0).atLeast(0)))
        .isEqualTo(Verdict.CANNOT_BE_SEEN);
    assertThat(verdict(Measured.value("a", 1.0).within(0, 1).and(Measured.nothing("why"))))
        .isEqualTo(Verdict.CANNOT_BE_SEEN);
  }

  @Test
  void timesOfLittleDataMeanNothing() {
    for (Scale scale : Scale.values()) {
      Findings findings =
          new Findings(scale)
              .claim("P Fig. 1", "bytes", Measured.value("a", 1.0).within(0, 2))
              .timeClaim("P Fig. 2", "time", Measured.value("a", 1.0).within(0, 2))
              .contest("rates", Measure.RATE, Map.of("sifr", 1.0, "other", 2.0))
              .contest("bytes", Measure.AMOUNT, Map.of("sifr", 2.0, "other", 1.0));
      boolean little = scale == Scale.TINY || scale == Scale.SMALL;
      assertThat(findings.claims())
          .extracting(Claim::verdict)
          .containsExactly(Verdict.HOLDS, little ? Verdict.CANNOT_BE_SEEN : Verdict.HOLDS);
      assertThat(findings.losses()).hasSize(little ? 1 : 2);
    }
  }

  @Test
  void theBestOfTheOthersCountsAndNotOneOfOurs() {
    List<Loss> losses =
        new Findings(Scale.MEDIUM)
            .contest(
                "rate",
                Measure.RATE,
                Map.of("sifr", 10.0, "rocksdb", 12.0, "leveldb", 15.0, "sifr-tiered", 99.0))
            .contest("time", Measure.TIME, Map.of("sifr", 10.0, "rocksdb", 8.0, "leveldb", 9.0))
            .contest("won", Measure.TIME, Map.of("sifr", 10.0, "rocksdb", 9.9, "leveldb", 20.0))
            .contest("alone", Measure.TIME, Map.of("sifr", 10.0))
            .losses();
    assertThat(losses)
        .containsExactly(
            new Loss("rate", 10, "leveldb", 15, 1.5), new Loss("time", 10, "rocksdb", 8, 1.25));
    Loss again = new Loss("in another experiment", 10, "rocksdb", 8, 1.25);
    Loss largest = new Loss("memory", 90, "leveldb", 10, 9);
    assertThat(Loss.largestFirst(List.of(losses.get(0), losses.get(1), again, largest)))
        .containsExactly(largest, losses.get(0), losses.get(1));
    assertThat(Loss.table(losses).rows()).hasSize(2);
  }

  /** An experiment's verdict changes with what its runs have measured. */
  @Test
  void anExperimentJudgesByItsRuns() {
    assertThat(spaceClaims(2.0)).containsExactly(Verdict.HOLDS, Verdict.DOES_NOT);
    assertThat(spaceClaims(1.25)).containsExactly(Verdict.DOES_NOT, Verdict.HOLDS);
    Laboratory failing =
        new Laboratory(
            Scale.MEDIUM,
            1,
            () -> false,
            Path.of("unused"),
            (spec, memory) -> {
              throw MadeUp.failure(ExitCodes.FAILED);
            },
            what -> {});
    assertThat(space(failing).claims())
        .extracting(Claim::verdict)
        .containsOnly(Verdict.CANNOT_BE_SEEN);
  }

  /** With that peak over final space of Sifr's stores; 1.25 is LevelDB's. */
  private static List<Verdict> spaceClaims(double peakOverFinal) {
    Laboratory laboratory =
        new Laboratory(
            Scale.MEDIUM,
            1,
            () -> false,
            Path.of("unused"),
            (spec, memory) ->
                spec.workloads().stream()
                    .map(workload -> MadeUp.result(spec.store(), workload.label(), 1000))
                    .map(
                        result ->
                            result.store().startsWith("sifr")
                                ? withPeak(result, peakOverFinal)
                                : result)
                    .toList(),
            what -> {});
    return space(laboratory).claims().stream().map(Claim::verdict).toList();
  }

  private static RunResult withPeak(RunResult result, double peakOverFinal) {
    return result.withPeakDiskBytes((long) (result.finalDiskBytes() * peakOverFinal));
  }

  private static Findings space(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    RandomLoads.space(laboratory, findings);
    return findings;
  }

  private static Verdict verdict(Measured measured) {
    return Claim.of("P Fig. 1", "it is so", measured).verdict();
  }
}
