package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LazilyLeveledTest {
  /** A flush is an SST; the tree of stage 2 may have four of them, that of stage 3 eight. */
  private static final Rule.OfStages POLICY =
      new LazilyLeveled(2, ForestDrawing.SPLIT_UNIT_BYTES * 4 / 3 + 1);

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "S1: [a]; ''",
        "S1: [b] [a]; 1: [b] [a] into a new tree of stage 2",
        "S1: [c] [b] [a]; 1: [b] [a] into a new tree of stage 2",
        "S1: [b] [a] | S2: [a b]; 1: [b] [a] [a b] into the last",
        "S1: [c] | S2: [a b c]; ''",
        "S1: [c] | S2: [a b c d]; 2: [a b c d] into a new tree of stage 3",
        "S1: [d] [c] | S2: [b] | S3: [a b c]; 1: [d] [c] into a new tree of stage 2",
        "S1: [d] | S2: [c] [b] | S3: [a b c]; 2: [c] [b] [a b c] into the last",
        "S1: [d] | S2: [c] [b]; 2: [c] [b] into a new tree of stage 2",
        "S1: [d] | S2: [c] [b] [a] | S3: [b] [a]; 3: [b] [a] into a new tree of stage 3",
      })
  void theTreesOfTheStageBeforeTheLastGoIntoIt(String drawing, @Nullable String expected) {
    Forest forest = ForestDrawing.parse(drawing);
    assertThat(POLICY.due(forest).stream().map(LazilyLeveledTest::described))
        .isEqualTo(expected == null || expected.isEmpty() ? List.of() : List.of(expected));
    for (CompactionPlan plan : POLICY.due(forest)) {
      Forest begun =
          forest.apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
      assertThat(begun.compactions()).hasSize(1);
    }
  }

  private static String described(CompactionPlan plan) {
    return plan.sourceStage()
        + ": "
        + plan.inputs().stream().map(ForestDrawing::print).collect(Collectors.joining(" "))
        + (plan.output() == null
            ? " into a new tree of stage " + plan.targetStage()
            : " into the last");
  }

  /** Whether there is enough for the last tree, or that has outgrown its stage. */
  @ParameterizedTest
  @CsvSource({
    "S1: [d] [c] [b] [a] | S2: [a b], 3 4 5, 5, 2",
    "S1: [d] [c] [b] [a] | S2: [a b], 5, 90, 3",
    "S1: [c] [b] | S2: [a b c d], 2 3, 3, 2",
    "S1: [b] | S2: [a b c d], 2, 90, 3",
  })
  void nothingElseGoesIntoTheLastTreeMeanwhile(
      String drawing, String inputs, long output, int stage) {
    Forest forest = ForestDrawing.parse(drawing);
    List<Long> ids = Arrays.stream(inputs.split(" ")).map(Long::valueOf).toList();
    Forest busy = forest.apply(CompactionEdits.begun(90, ids, KeySpan.ALL, output, stage));
    assertThat(POLICY.due(busy)).isEmpty();
  }
}
