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
  /** The letter q is a guard by its hash, and from stage 3 on g is another. */
  private static final Rule.OfStages POLICY = new Guarded(2, 2, 7);

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "S1: [a]; ''",
        "S1: [b] [a]; 1: [b] [a] into a new tree of stage 2",
        "S1: [c-z] [b] [a-y]; 1: [c-z] [b] [a-y] into a new tree of stage 2",
        "S1: [c-z] [a-y] | S2: [q-r]; 1: [c-z] [a-y] to q into [q-r], "
            + "1: [c-z] [a-y] from q into a new tree of stage 2",
        "S1: [c-z] [a-d] | S2: [q-r]; 1: [c-z] [a-d] to q into [q-r], "
            + "1: [c-z] from q into a new tree of stage 2",
        "S1: [c-z] [a-y] | S2: [g-h]; 1: [c-z] [a-y] into a new tree of stage 2",
        "S1: | S2: [b] [a]; ''",
        "S1: | S2: [a-c g-k] [b-h] [c-z] | S3: [d-m]; "
            + "2: [a-c g-k] [b-h] [c-z] to g into a new tree of stage 3",
        "S1: | S2: [a-c] [b-h] [g-z]; 2: [a-c] [b-h] to g into a new tree of stage 3",
        "S1: | S2: [a-c] [b-h] [q-z]; ''",
        "S1: | S2: [b] [q] [r]; ''",
        "S1: | S2: [c] [b] [a g] | S3: [g-h] [g] [a]; 2: [c] [b] [a g] to g into [g], "
            + "2: [a g] from g into a new tree of stage 3",
        "S1: | S2: [q] [r] [g-s] | S3: [g-h] [a]; 2: [q] [r] [g-s] from q into [a]",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [a-c] [b] [a]; " + "7: [a-c] [b] [a] into [a]",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [a-c] [b] [g]; ''",
        "S1: | S2: | S3: | S4: | S5: | S6: | S7: [c] [b] [a] | S8: [b]; "
            + "7: [c] [b] [a] into a new tree of stage 8",
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
    Forest forest = ForestDrawing.parse("S1: [c-z] [a-y] | S2: [q-r] [b-c]");
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
    Forest forest = ForestDrawing.parse("S1: [c-f q-z] [a-y]");
    assertThat(POLICY.due(forest)).hasSize(1);
    KeySpan first = POLICY.due(forest).get(0).spans().get(0);
    assertThat(first.last()).isNotNull();
  }

  @Test
  void guardsAreFinerInFurtherStages() {
    Forest forest = ForestDrawing.parse("S1: [a g-h q] | S2: [c d j k x y]");
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
    assertThat(POLICY.debt(ForestDrawing.parse("S1: [a]" + " [a]".repeat(11)))).isPositive();
    Forest forest = ForestDrawing.parse("S1: [b] [a] | S2: [c] [b] [a]");
    List<CompactionPlan> due = POLICY.due(forest);
    assertThat(POLICY.score(forest, due.get(0))).isLessThan(POLICY.score(forest, due.get(1)));
    assertThat(POLICY.moreFilterBits(forest, 1)).isEqualTo(2);
  }
}
