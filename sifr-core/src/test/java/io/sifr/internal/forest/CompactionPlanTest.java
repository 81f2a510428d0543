package io.sifr.internal.forest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** I5: which trees a merge has to think of before it drops a tombstone. */
class CompactionPlanTest {
  private static Forest with(
      Forest forest, long outputTree, int stage, List<Long> inputs, String written) {
    return forest
        .apply(CompactionEdits.begun(outputTree, inputs, stage + 1))
        .apply(
            new ForestEdit.CompactionProgressed(
                1,
                outputTree,
                KeySpan.upTo("m".getBytes(US_ASCII)),
                List.of(ForestDrawing.sst(outputTree * 10, written)),
                List.of()));
  }

  private static CompactionPlan ofOldest(Forest forest, int stage, int count) {
    List<LogicalTree> trees = forest.oldestIdle(stage);
    return CompactionPlan.intoNewTree(
        forest,
        trees.subList(trees.size() - count, trees.size()),
        KeySpan.ALL,
        stage + 1,
        Compaction.Shape.MOVES);
  }

  private static List<Long> ids(List<LogicalTree> trees) {
    return trees.stream().map(LogicalTree::id).toList();
  }

  /** From m to p. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // forest; first stage; inputs, of which the last is the output
        "S1: [a-c] [q]; 1; ''",
        "S1: [a-z] [b] [m]; 1; [a-z] [m]",
        "S1: [n]; 1; [n]",
        "S1: [a-z] [o] | S2: [x] [m-n] [a-z]; 1; [a-z] [o] [m-n] [a-z]",
        "S1: [a-z] [o] | S2: [x] [m-n] [a-z] | S3: [n]; 1; [a-z] [o] [m-n]",
        "S1: [a-z] [o] | S2: [x] [m-n] [a-z] | S3: [n] [o]; 2; [m-n] [a-z] [n] [o]",
        "S1: [a-z] | S2: [x] | S3: [n] [b] [o] | S4: [p-q]; 1; [a-z] [n] [o]",
        "S1: [a-z] | S2: [x] | S3: [n] | S4: [a-o]; 1; [a-z] [n]",
        "S1: [a-z] | S2: [x] | S3: [n] | S4: [a-o]; 2; [n] [a-o]",
        "S1: [a-z] | S2: [x] | S3: [n] | S4: [a-o]; 4; [a-o]",
        "S1: [a-z]; 2; ''",
      })
  void whatLiesInASpanGoesDownStageByStage(String drawing, int from, String expected) {
    Forest forest = ForestDrawing.parse(drawing);
    KeySpan span = KeySpan.between("m".getBytes(US_ASCII), "p".getBytes(US_ASCII));
    CompactionPlan plan = CompactionPlan.downwards(forest, span, from);
    List<LogicalTree> inputs = plan == null ? List.of() : plan.inputs();
    assertThat(inputs.stream().map(ForestDrawing::print).collect(Collectors.joining(" ")))
        .isEqualTo(expected);
    if (plan != null) {
      assertThat(plan.output()).isEqualTo(inputs.get(inputs.size() - 1).id());
      assertThat(
              forest
                  .apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()))
                  .compactions())
          .hasSize(1);
    }
  }

  /** Two trees of each stage. */
  private final Forest idle = ForestDrawing.parse("S1: [a-z] [b-y] | S2: [c-z] [a-x]");

  /** What the lower merge has written already came from trees that the upper one must think of. */
  @Test
  void inputsAndOutputsOfOtherMergesAreOlderTrees() {
    Forest forest = with(idle, 10, 2, List.of(3L, 4L), "c-k");
    CompactionPlan plan = ofOldest(forest, 1, 2);
    assertThat(ids(plan.inputs())).containsExactly(1L, 2L);
    assertThat(ids(plan.older())).containsExactly(3L, 4L, 10L);
  }

  @Test
  void aMergeThatGoesOnThinksOfAllButItsOwnOutput() {
    Forest forest = with(idle, 10, 2, List.of(3L, 4L), "c-k");
    forest = with(forest, 11, 1, List.of(1L, 2L), "b-j");
    assertThat(ids(forest.byPriority())).containsExactly(1L, 2L, 11L, 3L, 4L, 10L);
    CompactionPlan upper = CompactionPlan.remainder(forest, forest.compaction(11).orElseThrow());
    assertThat(ids(upper.older())).containsExactly(3L, 4L, 10L);
    CompactionPlan lower = CompactionPlan.remainder(forest, forest.compaction(10).orElseThrow());
    assertThat(ids(lower.older())).isEmpty();
  }

  /** A tree that came into the target stage after the inputs is believed before none of them. */
  @Test
  void treesOfTheTargetStageAreOlder() {
    assertThat(ids(ofOldest(idle, 1, 1).older())).containsExactly(3L, 4L);
  }
}
