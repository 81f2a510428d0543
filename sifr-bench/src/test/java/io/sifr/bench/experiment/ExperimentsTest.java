package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.MarkdownReport;
import io.sifr.bench.report.Report;
import io.sifr.bench.report.Report.Section;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class ExperimentsTest {
  /** Those that open a store themselves. */
  private static final Set<String> IN_THIS_PROCESS =
      Set.of(
          "stage-of-key",
          "search-threads",
          "parallel-reads",
          "filter-bits",
          "level-times",
          "policy-bytes",
          "range-delete",
          "queue",
          "streams",
          "overwrites",
          "day",
          "write-stalls",
          "slow-bytes",
          "columns",
          "depth",
          "tail",
          "lds",
          "hints",
          "many-databases");

  /** The command adds itself, and the machine. */
  private static final int LINES_OF_THE_COMMAND = 9;

  /** Little data has few losses. */
  private static final int LINES_OF_LOSSES = 15;

  @TempDir Path directory;

  private record Run(RunSpec spec, OptionalLong memoryBytes) {}

  private final List<Run> run = new ArrayList<>();

  private Laboratory laboratory(BiFunction<RunSpec, OptionalLong, List<RunResult>> runner) {
    return new Laboratory(
        Scale.TINY,
        1,
        () -> false,
        directory,
        (spec, memory) -> {
          run.add(new Run(spec, memory));
          return runner.apply(spec, memory);
        },
        what -> {});
  }

  private static List<RunResult> madeUp(RunSpec spec, OptionalLong memory) {
    return spec.workloads().stream()
        .map(workload -> MadeUp.result(spec.store(), workload.label(), 1000))
        .toList();
  }

  @Test
  void eachExperimentHasAPlotOrSaysWhatIsMissing() {
    Results results = Experiments.run("all", laboratory(ExperimentsTest::madeUp), found -> {});
    assertShortAndReadable(results);
    List<Section> sections = results.report().sections();
    assertThat(sections).hasSize(2 + Experiments.names().size());
    assertThat(sections.get(0).blocks().get(0))
        .asInstanceOf(type(Block.Missing.class))
        .extracting(Block.Missing::text)
        .asString()
        .contains("they mean nothing");
    for (Section section : sections.subList(2, sections.size())) {
      assertThat(section.blocks())
          .as(section.title())
          .anyMatch(
              block ->
                  block instanceof Block.LinePlot
                      || block instanceof Block.BarPlot
                      || block instanceof Block.Missing);
      assertThat(section.title()).containsPattern("Fig|Table|§|in no paper");
    }
  }

  /** It is read whole, so it is short, and it has no figure that people cannot read. */
  private static void assertShortAndReadable(Results results) {
    String summary = MarkdownReport.text(results.summary());
    assertThat(summary.lines().count() + LINES_OF_THE_COMMAND + LINES_OF_LOSSES)
        .isLessThanOrEqualTo(365);
    assertThat(summary).contains("## What the papers claim").contains("## Where Sifr loses");
    for (String name : Experiments.names()) {
      assertThat(summary).contains(name + ": ");
    }
    for (Report report : List.of(results.summary(), results.report())) {
      assertThat(MarkdownReport.text(report)).doesNotContainPattern("\\d[eE]-?\\d");
    }
  }

  @Test
  void theSameRunServesSeveralExperiments() {
    Laboratory laboratory = laboratory(ExperimentsTest::madeUp);
    Experiments.run("space", laboratory, found -> {});
    int runs = run.size();
    Experiments.run("file-sizes", laboratory, found -> {});
    Experiments.run("candidate-trees", laboratory, found -> {});
    assertThat(runs).isEqualTo(Laboratory.LSM_STORES.size());
    assertThat(run).hasSize(runs);
    Experiments.names().stream()
        .filter(name -> !IN_THIS_PROCESS.contains(name))
        .forEach(name -> Experiments.run(name, laboratory, found -> {}));
    assertThat(run).doesNotHaveDuplicates();
  }

  /** Otherwise a cache made for all the memory of the machine leaves none for anything else. */
  @Test
  void inLittleMemoryCachesAreSmall() {
    Laboratory laboratory = laboratory(ExperimentsTest::madeUp);
    RunSpec spec = laboratory.spec(StoreKind.SIFR, Workload.FILLRANDOM, Workload.READRANDOM);
    laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, OptionalLong.of(80 << 20));
    laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, OptionalLong.of(2L << 30));
    laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, OptionalLong.empty());
    assertThat(run)
        .extracting(one -> one.spec().terms().cacheBytes() >> 20)
        .containsExactly(64L, 10L, 64L, 64L);
  }

  @Test
  void aStoreThatFailsIsMissingAndTheRestGoesOn() {
    Laboratory laboratory =
        laboratory(
            (spec, memory) -> {
              throw MadeUp.failure(ExitCodes.WRONG_ANSWER);
            });
    for (String name : Experiments.names()) {
      if (!IN_THIS_PROCESS.contains(name)) {
        assertThat(
                Experiments.run(name, laboratory, found -> {}).report().sections().get(2).blocks())
            .as(name)
            .anyMatch(Block.Missing.class::isInstance);
      }
    }
    assertThat(laboratory.wrongAnswers()).isTrue();
  }

  @Test
  void severalAreRunInTheirOrder() {
    Results results =
        Experiments.run("range,space", laboratory(ExperimentsTest::madeUp), found -> {});
    List<Section> sections = results.report().sections();
    assertThat(sections).hasSize(2 + 2);
    assertThat(sections.get(2).title()).startsWith("space: ");
    assertThat(sections.get(3).title()).startsWith("range: ");
    assertThatThrownBy(
            () -> Experiments.run("range,rage", laboratory(ExperimentsTest::madeUp), found -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no experiment named rage; allowed: stores, growth-factor, ")
        .hasMessageEndingWith(", all");
  }

  @Test
  void anotherFailureIsNoWrongAnswer() {
    Laboratory laboratory =
        laboratory(
            (spec, memory) -> {
              throw MadeUp.failure(ExitCodes.FAILED);
            });
    Experiments.run("range", laboratory, found -> {});
    assertThat(laboratory.wrongAnswers()).isFalse();
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(
            () -> Experiments.run("nope", laboratory(ExperimentsTest::madeUp), found -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nope")
        .hasMessageContaining("growth-factor")
        .hasMessageContaining("all");
  }
}
