package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.model.SplitForestSimulation.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a load may write at most; {@code -Dsifr.simulation.entries=10000000} for the papers' size.
 */
@Tag("model")
class SplitForestSimulationTest {

  private static final long ENTRIES = Long.getLong("sifr.simulation.entries", 1_500_000);

  @Test
  void anAscendingLoadIsWrittenOnce() {
    var simulation = SplitForestSimulation.run(Workload.ASCENDING, Rules.CUT, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(1.0);
    assertThat(simulation.smallSsts()).as("%s", simulation).isZero();
  }

  @Test
  void fourStreamsAreWrittenOnce() {
    var simulation = SplitForestSimulation.run(Workload.STREAMS_4, Rules.CUT, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(1.05);
    assertThat(simulation.smallSsts()).as("%s", simulation).isZero();
  }

  /** Rewritten twice after the flush, until each stream's part of a tree is worth an SST. */
  @Test
  void aHundredStreamsAreMovedOnceTheyAreWorthAnSst() {
    var paper = SplitForestSimulation.run(Workload.STREAMS_100, Rules.PAPER, 3 * ENTRIES);
    var cut = SplitForestSimulation.run(Workload.STREAMS_100, Rules.CUT, 3 * ENTRIES);
    assertThat(cut.writeAmplification())
        .as("%s against %s", cut, paper)
        .isLessThan(3.1)
        .isLessThan(0.87 * paper.writeAmplification());
  }

  /** Until then, they are written as if they were random. */
  @Test
  void aThousandStreamsAreNotCutInVain() {
    var simulation = SplitForestSimulation.run(Workload.STREAMS_1000, Rules.CUT, ENTRIES);
    assertThat(simulation.smallSsts()).as("%s", simulation).isLessThan(10);
  }

  @ParameterizedTest
  @EnumSource(names = {"OUTLIERS_0_01_PERCENT", "BINARY_OUTLIERS"})
  void fewOutliersCostLittle(Workload workload) {
    var simulation = SplitForestSimulation.run(workload, Rules.CUT, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(1.6);
  }

  /** Dearer than in plain numbers: the first carry of an hour or a day is taken for a gap. */
  @Test
  void fewOutliersAmongTimesCostLittleMore() {
    var simulation = SplitForestSimulation.run(Workload.TIMESTAMPS_OUTLIERS, Rules.CUT, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(1.85);
  }

  @ParameterizedTest
  @EnumSource(names = {"WIDE_OUTLIERS_0_01_PERCENT", "WIDE_OUTLIERS_0_1_PERCENT"})
  void outliersFarFromEverythingCostNothing(Workload workload) {
    var simulation = SplitForestSimulation.run(workload, Rules.CUT, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(1.1);
  }

  @Test
  void aRandomLoadIsWrittenAsTheCountingModelSays() {
    var simulation = SplitForestSimulation.run(Workload.RANDOM, Rules.CUT, ENTRIES);
    assertThat(simulation.treesPerStage()).isEqualTo(treesPerStage(simulation.flushes()));
    assertThat(simulation.writeAmplification())
        .as("%s", simulation)
        .isCloseTo(
            simulation.flushedBytes()
                * (double) writesPerFlush(simulation.flushes())
                / simulation.flushes()
                / simulation.userBytes(),
            within(0.03 * simulation.writeAmplification()));
  }

  @ParameterizedTest
  @EnumSource
  void noLoadIsMuchWorseOffThanWithoutTheRules(Workload workload) {
    long entries = Math.max(600_000, ENTRIES / 4);
    var without = SplitForestSimulation.run(workload, Rules.PAPER, entries);
    var with = SplitForestSimulation.run(workload, Rules.CUT, entries);
    assertThat(with.writeAmplification())
        .as("%s against %s", with, without)
        .isLessThan(1.07 * without.writeAmplification());
    assertThat(with.ssts()).as("%s", with).isLessThan(2 * with.idealSsts() + 400);
    assertThat(with.treesPerStage()).isEqualTo(without.treesPerStage());
  }

  /** A store of less than 19 GB is written as if SSTs did not grow, byte by byte. */
  @ParameterizedTest
  @EnumSource
  void beforeTheyGrowSstsAreWrittenAsIfTheyDidNot(Workload workload) {
    long entries = Math.max(600_000, ENTRIES / 4);
    var fixed = SplitForestSimulation.run(workload, Rules.CUT, entries);
    var growing = SplitForestSimulation.run(workload, Rules.NOT_YET_GROWING, entries);
    assertThat(growing.shape()).isEqualTo(fixed.shape());
  }

  /** As for a terabyte: a small part of the SSTs is as large as they can be. */
  @ParameterizedTest
  @EnumSource(names = {"ASCENDING", "RANDOM", "STREAMS_4", "STREAMS_100", "LATE_1000"})
  void growingSstsStayFew(Workload workload) {
    var simulation = SplitForestSimulation.run(workload, Rules.GROWING, ENTRIES);
    assertThat(simulation.mostSsts())
        .as("%s", simulation)
        .isGreaterThan(SplitForestSimulation.GROWING_FROM)
        .isLessThan(3 * SplitForestSimulation.GROWING_FROM);
  }

  @ParameterizedTest
  @EnumSource(names = {"ASCENDING", "STREAMS_4"})
  void onTheWayAscendingKeysAreRewrittenOnceOrTwice(Workload workload) {
    var simulation = SplitForestSimulation.run(workload, Rules.GROWING, ENTRIES);
    assertThat(simulation.writeAmplification()).as("%s", simulation).isLessThan(2.5);
  }

  @Test
  void growingSstsDoNotChangeWhatARandomLoadWrites() {
    var fixed = SplitForestSimulation.run(Workload.RANDOM, Rules.CUT, ENTRIES);
    var growing = SplitForestSimulation.run(Workload.RANDOM, Rules.GROWING, ENTRIES);
    assertThat(growing.writeAmplification())
        .as("%s against %s", growing, fixed)
        .isLessThan(1.02 * fixed.writeAmplification());
  }

  /**
   * Trees of one size, four make one of the next: the digits of the number of flushes to base 4.
   */
  private static List<Integer> treesPerStage(long flushes) {
    List<Integer> trees = new ArrayList<>();
    for (long rest = flushes; rest > 0; rest /= 4) {
      trees.add((int) (rest % 4));
    }
    return trees;
  }

  /** How many memtables' worth of data is written: each flush, and each four trees merged. */
  private static long writesPerFlush(long flushes) {
    long writes = flushes;
    for (long size = 4; size <= flushes; size *= 4) {
      writes += flushes / size * size;
    }
    return writes;
  }
}
