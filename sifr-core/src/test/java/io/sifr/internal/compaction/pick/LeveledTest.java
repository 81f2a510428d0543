package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeveledTest {
  /** Two trees of stage 1; two SSTs of stage 2, six of stage 3. */
  private static final Rule.OfStages POLICY =
      new Leveled(2, 2 * ForestDrawing.SPLIT_UNIT_BYTES, 3, ForestDrawing.SPLIT_UNIT_BYTES);

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // forest; inputs, keys, how the output is found
        "S1: [a]; ''",
        "S1: [b-d] [a-c]; [b-d] [a-c] all into a new tree of stage 2",
        "S1: [b-d] [e-f] | S2: [c-z]; [b-d] [e-f] [c-z] b to f into the last",
        "S1: [b-d] [e-f] | S2: [x-z]; [b-d] [e-f] b to f into the tree of stage 2",
        "S1: | S2: [a-b c-d]; [a-b c-d] a to b into a new tree of stage 3",
        // what has come since the last key range ended waits for the next round
        "S1: | S2: [a-b c-d] | S3: [a-c]; [a-b c-d] c to d into the tree of stage 3",
        "S1: | S2: [a-b c-d g-h] | S3: [a-d]; [a-b c-d g-h] g to h into the tree of stage 3",
        "S1: | S2: [b-c d-e] | S3: [a-f]; [b-c d-e] [a-f] b to c into the last",
        "S1: | S2: [a b c d e f]; [a b c d e f] a to d into a new tree of stage 3",
        "S1: | S2: [a] | S3: [a b c d e f]; [a b c d e f] a to a into a new tree of stage 4",
        "S1: [c] | S2: [b] [a]; [b] [a] all into a new tree of stage 2",
        "S1: [d] [c] | S2: [b] [a]; [b] [a] all into a new tree of stage 2",
        "S1: | S2: [a b c] | S3: [b] [a]; [b] [a] all into a new tree of stage 3",
      })
  void theNextSpanOfEachStageThatIsTooLarge(String drawing, @Nullable String expected) {
    Forest forest = ForestDrawing.parse(drawing);
    List<String> due = POLICY.due(forest).stream().map(plan -> described(plan)).toList();
    assertThat(due)
        .isEqualTo(expected == null || expected.isEmpty() ? List.of() : List.of(expected));
  }

  private static String described(CompactionPlan plan) {
    KeySpan span = plan.spans().get(0);
    String keys = span.last() == null ? "all" : first(plan) + " to " + text(span.last());
    Long output = plan.output();
    List<LogicalTree> inputs = plan.inputs();
    return inputs.stream().map(ForestDrawing::print).collect(Collectors.joining(" "))
        + " "
        + keys
        + " into "
        + (output == null
            ? "a new tree of stage " + plan.targetStage()
            : output == inputs.get(inputs.size() - 1).id()
                ? "the last"
                : "the tree of stage " + plan.targetStage());
  }

  /** The first key of the inputs in the span. */
  private static String first(CompactionPlan plan) {
    return plan.inputs().stream()
        .filter(tree -> plan.sourceStage() == 1 || tree == plan.inputs().get(0))
        .map(tree -> tree.within(plan.spans().get(0)))
        .filter(tree -> !tree.slices().isEmpty())
        .map(tree -> text(tree.slices().get(0).smallestKey()))
        .min(String::compareTo)
        .orElseThrow();
  }

  /** Of a key after another one, the other one. */
  private static String text(byte[] key) {
    return new String(key, UTF_8).trim();
  }

  /** Else the one would change what the other relies on. */
  @Test
  void aStageIsInOneCompactionAtATime() {
    Forest forest =
        ForestDrawing.parse("S1: [h] [g] | S2: [a b c] | S3: [a b c d e f g] | S4: [a]");
    assertThat(POLICY.due(forest)).hasSize(3);
    KeySpan first = POLICY.due(forest).get(1).spans().get(0);
    Forest busy = forest.apply(CompactionEdits.begun(90, List.of(3L, 4L), first, 4L, 3));
    assertThat(POLICY.due(busy)).isEmpty();
  }

  @Test
  void everyPlanIsAllowed() {
    for (String drawing :
        List.of(
            "S1: [b-d] [e-f] | S2: [c-z]",
            "S1: | S2: [a-b c-d] | S3: [a-c]",
            "S1: [d] [c] | S2: [b] [a]",
            "S1: | S2: [a b c] | S3: [a b c d e f g]")) {
      Forest forest = ForestDrawing.parse(drawing);
      for (CompactionPlan plan : POLICY.due(forest)) {
        Forest begun =
            forest.apply(
                new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
        assertThat(begun.compactions()).hasSize(1);
      }
    }
  }

  @Test
  void writersAreSlowedWhenAStageIsTwiceTooLarge() {
    assertThat(POLICY.debt(Forest.empty(1, "default"))).isNegative();
    assertThat(POLICY.debt(ForestDrawing.parse("S1: [d] [c] [b] [a]"))).isZero();
    assertThat(POLICY.debt(ForestDrawing.parse("S1: | S2: [a b c d e]"))).isEqualTo(0.5);
  }

  @Test
  void theStageThatIsMostTooLargeIsMostUrgent() {
    Forest forest = ForestDrawing.parse("S1: | S2: [a b c d e] | S3: | S4: [a]");
    assertThat(POLICY.score(forest, POLICY.due(forest).get(0))).isCloseTo(2.5, within(0.01));
  }
}
