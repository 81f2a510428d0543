package io.sifr.internal.compaction.pick;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TieredTest {
  private static final Rule.OfStages POLICY = new Tiered(2, false, Compaction.Shape.MOVES);

  private static String drawn(List<LogicalTree> trees) {
    return String.join(" ", trees.stream().map(ForestDrawing::print).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // lazy; forest; busy stage; stage, inputs newest first
        "false; ''; 0; ''",
        "false; S1: [a]; 0; ''",
        "false; S1: [b] [a]; 0; 1: [b] [a]",
        "false; S1: [d] [c] [b] [a]; 0; 1: [b] [a]",
        "false; S1: [d] [c] | S2: [b] [a]; 0; 1: [d] [c], 2: [b] [a]",
        "false; S1: [d] [c] | S2: [b] [a]; 1; 2: [b] [a]",
        "false; S1: [d] [c] | S2: [b]; 1; ''",
        "false; S1: | S2: [c] [b] | S3: [a]; 0; 2: [c] [b]",
        "true; S1: [b] [a]; 0; ''",
        "true; S1: [c] [b] [a]; 0; 1: [b] [a]",
        "true; S1: [e] [d] | S2: [c] [b] [a]; 0; 2: [b] [a]",
      })
  void theOldestOfEachFullStageThatIsNotBusy(
      boolean lazy, String drawing, int busy, String expected) {
    List<CompactionPlan> due =
        new Tiered(2, lazy, Compaction.Shape.MOVES)
            .due(withBusy(ForestDrawing.parse(drawing), busy));
    assertThat(due.stream().map(plan -> plan.sourceStage() + ": " + drawn(plan.inputs())))
        .containsExactly(expected.isEmpty() ? new String[0] : expected.split(", "));
  }

  /** A stage of which a compaction has begun, by its oldest tree. */
  private static Forest withBusy(Forest forest, int stage) {
    if (stage == 0) {
      return forest;
    }
    int last = forest.stage(stage).size() - 1;
    Forest more = forest;
    for (LogicalTree tree : forest.stage(stage).subList(0, last)) {
      // As many as before are idle.
      more = more.withTree(stage, new LogicalTree(100 + tree.id(), tree.slices()));
    }
    return more.apply(
        CompactionEdits.begun(90, List.of(forest.stage(stage).get(last).id()), stage + 1));
  }

  /** As compactions of other policies, and of key ranges, use trees. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // forest; inputs and output of a compaction of the keys from w to z; inputs of what is due
        "S1: [x] | S2: [d] [c] [b] [a]; 1; 3; [b] [a]",
        "S1: [x] | S2: [d] [c] [b]; 1; 3; ''",
        "S1: [x] | S2: [d] [c] | S3: [x]; 1 4; 4; ''",
        "S1: [x] | S2: [d] [x] [b] [a] | S3: [x]; 1 3 6; 6; ''",
        "S1: [d] [c] | S2: [x] [b] [a] | S3: [x]; 3 6; 6; [d] [c]",
      })
  void onlyTreesBelowWhichNoneIsInUse(
      String drawing, String inputs, long output, @Nullable String expected) {
    List<Long> ids = Arrays.stream(inputs.split(" ")).map(Long::valueOf).toList();
    Forest forest = ForestDrawing.parse(drawing);
    int stage = forest.stageOf(output);
    Forest busy =
        forest.apply(CompactionEdits.begun(90, ids, CompactionEdits.span("w z"), output, stage));
    List<CompactionPlan> due = POLICY.due(busy);
    assertThat(due.stream().map(plan -> drawn(plan.inputs())).collect(Collectors.joining(", ")))
        .isEqualTo(expected);
    for (CompactionPlan plan : due) {
      Forest begun =
          busy.apply(new ForestEdit.CompactionBegun(1, plan.compaction(91), plan.targetStage()));
      assertThat(begun.compactions()).hasSize(2);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "S1: [c] [b]; 1; 2; ''",
        "S1: [e] [d] | S2: [c] | S3: [b] [a]; 1; 2; [c] [b] [a]",
        "S1: | S2: [d] [c] | S3: [b] [a]; 2; 3; [b] [a]",
      })
  void aPlanKnowsTheTreesBelow(String drawing, int stage, int target, String older) {
    CompactionPlan plan = POLICY.due(ForestDrawing.parse(drawing)).get(0);
    assertThat(plan.sourceStage()).isEqualTo(stage);
    assertThat(plan.targetStage()).isEqualTo(target);
    assertThat(plan.shape()).isEqualTo(Compaction.Shape.MOVES);
    assertThat(plan.inputSsts()).isEqualTo(2);
    assertThat(plan.inputBytes()).isEqualTo(2 * ForestDrawing.SPLIT_UNIT_BYTES);
    assertThat(drawn(plan.older())).isEqualTo(older);
  }

  @Test
  void aPlanOfAllRewritesThemAsATreeOfTheHighestStage() {
    CompactionPlan plan =
        requireNonNull(CompactionPlan.ofAll(ForestDrawing.parse("S1: [a] | S2: [c] | S3: [b-d]")));
    assertThat(plan.sourceStage()).isEqualTo(1);
    assertThat(plan.targetStage()).isEqualTo(3);
    assertThat(plan.gathers()).isTrue();
    assertThat(plan.shape()).isEqualTo(Compaction.Shape.REWRITES);
    assertThat(plan.older()).isEmpty();
    assertThat(plan.output()).isNull();
    assertThat(drawn(plan.inputs())).isEqualTo("[a] [c] [b-d]");
    assertThat(CompactionPlan.ofAll(ForestDrawing.parse("S1: "))).isNull();
  }

  /** Growth factor 2: four trees a stage are normal, two more in all do not matter yet. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; -0.333",
        "S1: [a] [a] [a] [a] | S2: [a] [a] [a] [a]; -0.333",
        "S1: [a] [a] [a] [a] [a] | S2: [a] [a] [a] [a] [a]; 0",
        "S1: [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] | S2: [a] [a] [a] [a] [a] [a]; 1",
      })
  void debtCountsTheTreesAboveANormalNumberInAllStages(String drawing, double debt) {
    assertThat(POLICY.debt(ForestDrawing.parse(drawing))).isCloseTo(debt, within(0.001));
  }

  @Test
  void treesThatBecomeOneInTheirStageAreNoDebt() {
    Forest forest = ForestDrawing.parse("S1: [a] [a] [a] [a] [a] [a] | S2: [a]");
    List<Long> oldest = List.of(4L, 5L, 6L);
    assertThat(POLICY.debt(forest)).isZero();
    assertThat(POLICY.debt(forest.apply(CompactionEdits.begun(9, oldest, 2)))).isZero();
    assertThat(POLICY.debt(forest.apply(CompactionEdits.begun(9, oldest, 1)))).isNegative();
  }

  @Test
  void theFullerStageIsMoreUrgentAndEarlyStagesHaveMoreFilterBits() {
    Forest forest = ForestDrawing.parse("S1: [b] [a] | S2: [c] [b] [a]");
    List<CompactionPlan> due = POLICY.due(forest);
    assertThat(POLICY.score(forest, due.get(0))).isLessThan(POLICY.score(forest, due.get(1)));
    assertThat(POLICY.moreFilterBits(forest, 1)).isEqualTo(1);
    assertThat(POLICY.moreFilterBits(forest, 2)).isZero();
    assertThat(POLICY.moreFilterBits(forest, 3)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "4, 3", "10, 5"})
  void theMoreDataAStageHasTheMoreBitsFewerHave(int factor, int bits) {
    Forest forest = ForestDrawing.parse("S1: [b] [a] | S2: [c] [b] [a]");
    Rule.OfStages policy = new Tiered(factor, false, Compaction.Shape.MOVES);
    assertThat(policy.moreFilterBits(forest, 1)).isEqualTo(bits);
  }
}
