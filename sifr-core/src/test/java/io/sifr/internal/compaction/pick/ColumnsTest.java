package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnsTest {
  private static final long SST = ForestDrawing.SPLIT_UNIT_BYTES;

  /** Stage 2 is too large with more than ten SSTs. */
  private static Columns container(int ssts) {
    return new Columns(new Container(ssts * SST), new Leveled(2, 10 * SST, 3, SST));
  }

  private static String described(CompactionPlan plan) {
    KeySpan span = plan.spans().get(0);
    List<String> keys =
        plan.inputs().stream()
            .flatMap(tree -> tree.slicesIn(span).stream())
            .flatMap(slice -> List.of(slice.smallestKey(), slice.largestKey()).stream())
            .map(key -> new String(key, UTF_8))
            .sorted()
            .toList();
    return String.format(
        "%d of stage %d, %s to %s, into %s of stage %d",
        plan.inputs().size(),
        plan.sourceStage(),
        keys.get(0),
        keys.get(keys.size() - 1),
        plan.output() == null ? "a new tree" : "that",
        plan.targetStage());
  }

  private static List<String> due(Columns columns, Forest forest) {
    return columns.due(forest).stream().map(ColumnsTest::described).toList();
  }

  /** A container of ten SSTs is to be emptied when it has six. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "-",
      value = {
        "S1: [a b] [a b c]; -",
        // behind the SSTs of the next stage along those of the rows
        "S1: [a b c d] [a b c d]; 2 of stage 1, a to c, into a new tree of stage 2",
        "S1: [a b c d] [d e f g]; 2 of stage 1, a to d, into a new tree of stage 2",
        "S1: [a b c d] [e f g h]; 2 of stage 1, a to e, into a new tree of stage 2",
        "S1: [f g h i j] [a b c d e]; 1 of stage 1, a to e, into a new tree of stage 2",
        "S1: [c d e f g h] | S2: [a b]; 1 of stage 1, c to g, into that of stage 2",
        // along those of the next stage
        "S1: [a b c d] [a b c d] | S2: [b d]; 3 of stage 1, a to b, into that of stage 2",
        "S1: [a b c d] [a b c d] | S2: [c d]; 3 of stage 1, a to c, into that of stage 2",
        "S1: [a b c d] [a b c d] | S2: [c z]; 3 of stage 1, a to c, into that of stage 2",
        // less, when rows have no more there
        "S1: [y z] [y z] [x y] | S2: [c w]; 3 of stage 1, x to z, into that of stage 2",
      })
  void asMuchAsIsWorthACompaction(String drawing, String expected) {
    List<String> wanted = expected == null ? List.of() : List.of(expected);
    assertThat(due(container(10), ForestDrawing.parse(drawing))).isEqualTo(wanted);
  }

  @Test
  void theNextOneFollows() {
    Columns columns = container(10);
    Forest forest = ForestDrawing.parse("S1: [a b c d e f] [a b c d e f]");
    CompactionPlan first = columns.due(forest).get(0);
    assertThat(described(first)).contains("a to c");
    ForestEdit.CompactionBegun begun =
        new ForestEdit.CompactionBegun(1, first.compaction(90), first.targetStage());
    Forest after = CompactionEdits.compacted(forest, begun, List.of(ForestDrawing.sst(91, "a-c")));
    assertThat(due(columns, after)).containsExactly("2 of stage 1, d to f, into that of stage 2");
  }

  @Test
  void furtherStagesAreThoseOfTheOtherRule() {
    Forest forest = ForestDrawing.parse("S1: [a] | S2: [a b c d e f g h i j k]");
    assertThat(due(container(10), forest))
        .containsExactly("1 of stage 2, a to a, into a new tree of stage 3");
    Forest full = ForestDrawing.parse("S1: [m n o p q r] | S2: [a b c d e f g h i j k]");
    assertThat(due(container(10), full)).hasSize(2);
  }

  /** Else the one would change what the other relies on. */
  @Test
  void aStageIsInOneCompactionAtATime() {
    Forest forest = ForestDrawing.parse("S1: [a b c d] [a b c d] | S2: [a b]");
    Columns columns = container(10);
    CompactionPlan plan = columns.due(forest).get(0);
    Forest busy =
        forest.apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
    assertThat(busy.compactions()).hasSize(1);
    assertThat(columns.due(busy)).isEmpty();
  }

  /** As another policy leaves them. */
  @Test
  void treesOfTheSecondStageBecomeOneFirst() {
    Forest forest = ForestDrawing.parse("S1: [a b c d] [a b c d] | S2: [a] [b]");
    assertThat(due(container(10), forest))
        .containsExactly("2 of stage 2, a to b, into a new tree of stage 2");
  }

  @Test
  void theFullerIsMoreUrgent() {
    Columns columns = container(10);
    Forest forest = ForestDrawing.parse("S1:" + " [a b c]".repeat(4));
    assertThat(columns.score(forest, columns.due(forest).get(0))).isCloseTo(2, within(0.01));
  }

  @Test
  void writersAreSlowedWhenTheContainerIsNearlyFull() {
    assertThat(container(5).debt(ForestDrawing.parse("S1: [a b] [a b]"))).isLessThan(0.01);
    assertThat(container(5).debt(ForestDrawing.parse("S1: [a b c] [a b c]")))
        .isCloseTo(1, within(0.01));
  }
}
