package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuardedTest {
  /** The key D is a guard by its hash, and from stage 3 on 6 is another. */
  private static final Rule.OfStages POLICY = new Guarded(2, 2, 7);

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "S1: [1]; ''",
        "S1: [2] [1]; 1: [2] [1] into a new tree of stage 2",
        "S1: [3-Z] [2] [1-Y]; 1: [3-Z] [2] [1-Y] into a new tree of stage 2",
        "S1: [3-Z] [1-Y] | S2: [D-E]; 1: [3-Z] [1-Y] to D into [D-E], "
            + "1: [3-Z] [1-Y] from D into a new tree of stage 2",
        "S1: [3-Z] [1-5] | S2: [D-E]; 1: [3-Z] [1-5] to D into [D-E], "
            + "1: [3-Z] from D into a new tree of stage 2",
        "S1: [3-Z] [1-Y] | S2: [6-7]; 1: [3-Z] [1-Y] into a new tree of stage 2",
        "S1: | S2: [2] [1]; ''",
        "S1: | S2: [1-3 6-9] [2-7] [3-Z] | S3: [5-A]; "
            + "2: [1-3 6-9] [2-7] [3-Z] to 6 into a new tree of stage 3",
        "S1: | S2: [1-3] [2-7] [6-Z]; 2: [1-3] [2-7] to 6 into a new tree of stage 3",
        "S1: | S2: [1-3] [2-7] [D-Z]; ''",
        "S1: | S2: [2] [D] [E]; ''",
        "S1: | S2: [3] [2] [1 6] | S3: [6-7] [6] [1]; 2: [3] [2] [1 6] to 6 into [6], "
            + "2: [1 6] from 6 into a new tree of stage 3",
        "S1: | S2: [D] [E] [6-F] | S3: [6-7] [1]; 2: [D] [E] [6-F] from D into [1]",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [1-3] [2] [1]; " + "7: [1-3] [2] [1] into [1]",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [1-3] [2] [6]; ''",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [3] [2] [1] | S8: [2]; "
            + "7: [3] [2] [1] into a new tree of stage 8",
      })
  void whatTooManyTreesHoldBetweenTwoGuardsGoesToTheNextStage(
      String drawing, @Nullable String expected) {
    Forest forest = ForestDrawing.parse(drawing);
    List<CompactionPlan> due = POLICY.due(forest);
    assertThat(due.stream().map(plan -> described(forest, plan)).collect(Collectors.joining(", ")))
        .isEqualTo(expected);
    Forest busy = forest;
    for (int i = 0; i < due.size(); i++) {
      CompactionPlan plan = due.get(i);
      busy =
          busy.apply(
              new ForestEdit.CompactionBegun(1, plan.compaction(90 + i), plan.targetStage()));
    }
    List<KeySpan> taken = due.stream().flatMap(plan -> plan.spans().stream()).toList();
    assertThat(POLICY.due(busy)).noneMatch(plan -> KeySpan.overlap(plan.spans(), taken));
  }

  private static String described(Forest forest, CompactionPlan plan) {
    KeySpan span = plan.spans().get(0);
    Long output = plan.output();
    return plan.sourceStage()
        + ": "
        + plan.inputs().stream().map(ForestDrawing::print).collect(Collectors.joining(" "))
        + (span.above() == null ? "" : " from " + guard(span.above()))
        + (span.last() == null ? "" : " to " + guard(span.last()))
        + " into "
        + (output == null
            ? "a new tree of stage " + plan.targetStage()
            : ForestDrawing.print(forest.trees(List.of(output)).get(0)));
  }

  private static char guard(byte[] before) {
    return (char) (before[0] + 1);
  }

  @Test
  void otherSpansGoOnMeanwhile() {
    Forest forest = ForestDrawing.parse("S1: [3-Z] [1-Y] | S2: [D-E] [2-3]");
    List<CompactionPlan> due = POLICY.due(forest);
    assertThat(due).hasSize(2);
    for (CompactionPlan plan : due) {
      Forest busy =
          forest.apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
      assertThat(POLICY.due(busy)).hasSize(1);
      assertThat(POLICY.due(busy).get(0).conflictsWith(plan)).isFalse();
    }
  }

  /** Two that begin at the same time would each make one. */
  @Test
  void oneCompactionAtATimeMakesATree() {
    Forest forest = ForestDrawing.parse("S1: [3-5 D-Z] [1-Y]");
    assertThat(POLICY.due(forest)).hasSize(1);
    KeySpan first = POLICY.due(forest).get(0).spans().get(0);
    assertThat(first.last()).isNotNull();
  }

  @Test
  void guardsAreFinerInFurtherStages() {
    Forest forest = ForestDrawing.parse("S1: [1 6-7 D] | S2: [3 5 8 9 X Y]");
    assertThat(IntStream.of(1, 2, 3, 7).map(stage -> spans(forest, stage)))
        .containsExactly(1, 2, 3, 3);
    assertThat(spans(Forest.empty(1, "default"), 3)).isEqualTo(1);
  }

  private static int spans(Forest forest, int stage) {
    return POLICY.guards(forest, stage).spans().size();
  }

  @Test
  void writersAreSlowedByTreesAboveWhatIsMergedAtOnce() {
    assertThat(POLICY.debt(Forest.empty(1, "default"))).isNegative();
    assertThat(POLICY.debt(ForestDrawing.parse("S1: [1]" + " [1]".repeat(11)))).isPositive();
    Forest forest = ForestDrawing.parse("S1: [2] [1] | S2: [3] [2] [1]");
    List<CompactionPlan> due = POLICY.due(forest);
    assertThat(POLICY.score(forest, due.get(0))).isLessThan(POLICY.score(forest, due.get(1)));
    assertThat(POLICY.moreFilterBits(forest, 1)).isEqualTo(2);
  }
}
