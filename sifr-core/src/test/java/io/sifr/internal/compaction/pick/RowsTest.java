package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowsTest {
  private static final Tiered FURTHER = new Tiered(2, false, Compaction.Shape.MOVES);
  private static final long ROW = ForestDrawing.parse("S1: [a]").stage(1).get(0).bytes();

  private static List<String> due(long containerBytes, Forest forest) {
    return new Rows(new Container(containerBytes), FURTHER)
        .due(forest).stream()
            .map(
                plan ->
                    plan.sourceStage() + " to " + plan.targetStage() + ": " + plan.inputs().size())
            .toList();
  }

  @Test
  void allRowsAtOnceWhenTheyFillMostOfTheContainer() {
    Forest forest = ForestDrawing.parse("S1: [f] [e] [d] [c] [b] [a]");
    assertThat(due(10 * ROW, forest)).containsExactly("1 to 2: 6");
    assertThat(due(11 * ROW, forest)).isEmpty();
  }

  /** The container has room for one row. */
  @Test
  void neverASingleRow() {
    assertThat(due(ROW, ForestDrawing.parse("S1: [a]"))).isEmpty();
  }

  @Test
  void furtherStagesAreThoseOfTheOtherRule() {
    Forest forest = ForestDrawing.parse("S1: [f] [e] [d] | S2: [c] [b] | S3: [a]");
    assertThat(due(100 * ROW, forest)).containsExactly("2 to 3: 2");
    assertThat(due(5 * ROW, forest)).containsExactly("1 to 2: 3", "2 to 3: 2");
  }

  @Test
  void manySmallRowsAreCompactedBeforeTheContainerIsFull() {
    Forest forest = ForestDrawing.parse("S1:" + " [a]".repeat(63));
    assertThat(due(1000 * ROW, forest)).isEmpty();
    LogicalTree another = new LogicalTree(1000, forest.stage(1).get(0).slices());
    assertThat(due(1000 * ROW, forest.withTree(1, another))).containsExactly("1 to 2: 64");
  }

  @Test
  void writersAreSlowedWhenTheContainerIsNearlyFull() {
    Rows rows = new Rows(new Container(5 * ROW), FURTHER);
    assertThat(rows.debt(ForestDrawing.parse("S1: [d] [c] [b] [a]"))).isCloseTo(0, within(0.01));
    assertThat(rows.debt(ForestDrawing.parse("S1: [e] [d] [c] [b] [a]")))
        .isCloseTo(0.5, within(0.01));
    assertThat(rows.debt(ForestDrawing.parse("S1: [f] [e] [d] [c] [b] [a]")))
        .isCloseTo(1, within(0.01));
  }

  @Test
  void theShapeIsThatOfTheOtherRule() {
    CompactionPlan plan =
        new Rows(new Container(2 * ROW), FURTHER).due(ForestDrawing.parse("S1: [b] [a]")).get(0);
    assertThat(plan.shape()).isEqualTo(Compaction.Shape.MOVES); // the task knows where SSTs are
  }
}
