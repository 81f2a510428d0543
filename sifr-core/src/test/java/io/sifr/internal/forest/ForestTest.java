package io.sifr.internal.forest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.forest.ForestEdit.CompactionBegun;
import io.sifr.internal.forest.ForestEdit.CompactionCommitted;
import io.sifr.internal.forest.ForestEdit.CompactionProgressed;
import io.sifr.internal.sst.Sst;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForestTest {
  @Test
  void drawsWhatItWasDrawnFrom() {
    for (String drawing :
        List.of("", "S1: [a-f] [c-k] | S2: [a-c d-m]", "S1: | S2: [a b-c:12K] | S3: [a-z]")) {
      assertThat(ForestDrawing.print(ForestDrawing.parse(drawing))).isEqualTo(drawing);
    }
  }

  @Test
  void ordersTreesByStageAndThenByAge() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] | S2: [a-c d-m]");

    assertThat(forest.byPriority().stream().map(LogicalTree::id)).containsExactly(1L, 2L, 3L);
    assertThat(forest.stage(1)).containsExactlyElementsOf(forest.byPriority().subList(0, 2));
    assertThat(forest.stage(3)).isEmpty();
    assertThat(forest.ssts().stream().map(Sst::number)).containsExactly(1L, 2L, 3L, 4L);
    assertThat(forest.bytes()).isEqualTo(4 * ForestDrawing.SPLIT_UNIT_BYTES);
  }

  @Test
  void putsWrittenAndMovedSstsIntoTheNewestTreeOfTheTargetStage() {
    Forest forest = ForestDrawing.parse("S1: [p-q] [a-f x-z] [c-k m-n] | S2: [a-m]");
    // Tree 2 has the SSTs 2 and 3, tree 3 the SSTs 4 and 5.
    CompactionCommitted compaction =
        compaction(List.of(2L, 3L), 2, 10, List.of(ForestDrawing.sst(11, "a-k:8K")), 3L, 5L);

    Forest after = forest.withCompaction(compaction);

    assertThat(ForestDrawing.print(after)).isEqualTo("S1: [p-q] | S2: [a-k:8K m-n x-z] [a-m]");
    assertThat(after.stage(2).get(0).id()).isEqualTo(10);
    assertThat(after.stage(2).get(0).ssts().get(1)).isSameAs(forest.stage(1).get(2).ssts().get(1));
    assertThat(ForestDrawing.print(forest)).isEqualTo("S1: [p-q] [a-f x-z] [c-k m-n] | S2: [a-m]");
  }

  @Test
  void leavesNoTreeWhenACompactionLeavesNoEntry() {
    Forest forest = ForestDrawing.parse("S1: | S2: [a-b]");

    Forest after = forest.withCompaction(compaction(List.of(1L), 3, 9, List.of()));

    assertThat(after.byPriority()).isEmpty();
    assertThat(after.stageCount()).isZero();
  }

  @Test
  void countsStagesUpToTheHighestThatHoldsATree() {
    Forest forest = ForestDrawing.parse("S1: [a-b] | S2: | S3: [a-b]");

    assertThat(forest.stageCount()).isEqualTo(3);
    assertThat(forest.withCompaction(compaction(List.of(2L), 4, 9, List.of())).stageCount())
        .isEqualTo(1);
  }

  @Test
  void remembersHowFarItIsFlushed() {
    Forest forest = Forest.empty(1, "default").flushedTo(7).flushedTo(5);

    assertThat(forest.flushedSequence()).isEqualTo(7);
    assertThat(forest.withTree(1, tree(1, "a-b")).flushedSequence()).isEqualTo(7);
  }

  @Test
  void refusesACompactionWithoutItsInputs() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k]");

    assertRefused(forest, compaction(List.of(1L, 7L), 2, 9, List.of()), "input trees [1, 7]");
    assertRefused(forest, compaction(List.of(1L, 1L), 2, 9, List.of()), "input trees [1, 1]");
    assertRefused(forest, compaction(List.of(), 2, 9, List.of()), "input trees []");
  }

  @Test
  void refusesMovedSstsThatAreInNoInputOrOverlap() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] [m-n]");

    assertRefused(forest, compaction(List.of(2L, 3L), 2, 9, List.of(), 1L), "moved SST 1");
    assertRefused(forest, compaction(List.of(2L, 3L), 2, 9, List.of(), 3L, 3L), "SST 3");
    List<Sst> overlapping = List.of(ForestDrawing.sst(20, "b-d"));
    assertRefused(forest, compaction(List.of(2L, 3L), 2, 9, overlapping, 2L), "SST 2");
  }

  @Test
  void refusesIdsThatAreInUseAndStagesThatCannotBe() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k]");

    assertRefused(forest, compaction(List.of(2L), 2, 2, List.of(), 2L), "id of an input tree");
    assertRefused(forest, compaction(List.of(2L), 2, 1, List.of(), 2L), "has a tree 1 already");
    assertThatThrownBy(() -> forest.withTree(1, tree(1, "x-y")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a tree 1 already");
    for (int stage : new int[] {Integer.MIN_VALUE, 0, 65, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> forest.withTree(stage, tree(5, "x-y")))
          .describedAs("stage %d", stage)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("stage is " + stage + "; allowed: 1 to 64");
    }
    assertThat(forest.withTree(64, tree(5, "x-y")).stageCount()).isEqualTo(64);
  }

  /** I1: no tree may change its order with an input. */
  @Test
  void refusesACompactionThatOvertakesAnotherTree() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] [b-c] | S2: [a-m] [a-z] | S3: [a-z]");

    for (CompactionCommitted wrong :
        List.of(
            compaction(List.of(1L), 2, 9, List.of()),
            compaction(List.of(1L, 3L), 2, 9, List.of()),
            compaction(List.of(3L), 1, 9, List.of()),
            compaction(List.of(3L), 3, 9, List.of()),
            compaction(List.of(3L, 5L), 2, 9, List.of()),
            compaction(List.of(4L), 3, 9, List.of()),
            compaction(List.of(6L), 3 - 1, 9, List.of()))) {
      assertRefused(forest, wrong, "would change its order");
    }
    for (CompactionCommitted right :
        List.of(
            compaction(List.of(3L), 2, 9, List.of()),
            compaction(List.of(2L, 3L), 2, 9, List.of()),
            compaction(List.of(1L, 2L), 1, 9, List.of()),
            compaction(List.of(2L, 3L, 4L), 2, 9, List.of()),
            compaction(List.of(1L, 2L, 3L, 4L, 5L, 6L), 3, 9, List.of()),
            compaction(List.of(5L, 6L), 3, 9, List.of()),
            compaction(List.of(6L), 3, 9, List.of()),
            compaction(List.of(6L), 4, 9, List.of()))) {
      assertThat(forest.withCompaction(right).byPriority())
          .hasSize(6 - right.inputTreeIds().size());
    }
  }

  @Test
  void countsTheTreesAboveANormalNumberInAllStages() {
    Forest forest = ForestDrawing.parse("S1: [a] [b] [c] | S2: [a-f] | S3: [c-k] [a-m]");
    assertThat(forest.treesAbove(0)).isEqualTo(6);
    assertThat(forest.treesAbove(1)).isEqualTo(3);
    assertThat(forest.treesAbove(2)).isEqualTo(1);
    assertThat(forest.treesAbove(3)).isZero();
    assertThat(Forest.empty(1, "default").treesAbove(0)).isZero();
  }

  /** Its inputs leave the stages where other trees come in, and its output stays below those. */
  @Test
  void gathersAllTreesOfAMergeOfAllInTheHighestStage() {
    Forest forest =
        ForestDrawing.parse("S1: [a-f] [c-k] | S2: | S3: [a-m] [a-z]")
            .withBegun(new CompactionBegun(1, 9, List.of(4L, 1L, 2L, 3L), 1, 3, true));
    assertThat(ForestDrawing.print(forest)).isEqualTo("S1: | S2: | S3: [a-f] [c-k] [a-m] [a-z]");
    assertThat(forest.treesAbove(0)).as("but for those").isZero();
    assertThat(forest.idleTrees(3)).isEmpty();

    forest = forest.withTree(1, tree(5, "b-c")).withTree(1, tree(6, "b-d"));
    forest = forest.withCompaction(compaction(List.of(5L, 6L), 3, 7, List.of(), 105L));
    assertThat(ForestDrawing.print(forest))
        .isEqualTo("S1: | S2: | S3: [b-c] [a-f] [c-k] [a-m] [a-z]");
    assertThat(forest.treesAbove(0)).isEqualTo(1);
    forest = forest.withTree(2, tree(8, "b-g"));

    Sst written = ForestDrawing.sst(50, "a-g");
    Forest progressed =
        forest.withProgress(
            new CompactionProgressed(
                1, 9, KeySpan.upTo("g".getBytes(UTF_8)), List.of(written), List.of()));
    assertThat(ids(progressed)).containsExactly(8L, 7L, 9L, 2L, 3L, 4L);
    assertThat(ids(progressed.withBegun(new CompactionBegun(1, 20, List.of(8L), 2, 3, false))))
        .isEqualTo(ids(progressed));

    Forest over =
        progressed.withProgress(
            new CompactionProgressed(
                1, 9, new KeySpan("g".getBytes(UTF_8), "z".getBytes(UTF_8)), List.of(), List.of()));
    assertThat(ids(over)).containsExactly(8L, 7L, 9L);
    assertThat(over.merges()).isEmpty();
  }

  /** What came in since the plan was made is newer; nothing else can be left out. */
  @Test
  void refusesAMergeOfAllThatLeavesOutAnOlderTree() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] | S2: [a-m]");
    assertThat(ids(forest.withBegun(new CompactionBegun(1, 9, List.of(2L, 3L), 2, 2, true))))
        .containsExactly(1L, 2L, 3L);
    for (List<Long> inputs : List.of(List.of(1L, 3L), List.of(1L, 2L))) {
      assertThatThrownBy(() -> forest.withBegun(new CompactionBegun(1, 9, inputs, 2, 2, true)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("would change its order");
    }
  }

  /** I1: whether it ends with that or not, an output never comes to stand above a newer flush. */
  @Test
  void refusesProgressThatHidesWhatWasFlushedSinceTheMergeBegan() {
    Forest flushed =
        ForestDrawing.parse("S1: [a-f] [c-k]")
            .withBegun(new CompactionBegun(1, 9, List.of(1L, 2L), 1, 1, false))
            .withTree(1, tree(5, "a-z"));
    for (KeySpan span : List.of(KeySpan.upTo("g".getBytes(UTF_8)), KeySpan.ALL)) {
      CompactionProgressed progress =
          new CompactionProgressed(1, 9, span, List.of(ForestDrawing.sst(50, "a-g")), List.of());
      assertThatThrownBy(() -> flushed.withProgress(progress))
          .describedAs("%s", progress)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tree 5 in stage 1 would change its order");
    }
  }

  private static List<Long> ids(Forest forest) {
    return forest.byPriority().stream().map(LogicalTree::id).toList();
  }

  private static void assertRefused(Forest forest, CompactionCommitted compaction, String why) {
    assertThatThrownBy(() -> forest.withCompaction(compaction))
        .describedAs("%s", compaction)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  private static CompactionCommitted compaction(
      List<Long> inputs, int targetStage, long outputId, List<Sst> written, Long... moved) {
    return new CompactionCommitted(1, inputs, targetStage, outputId, written, List.of(moved));
  }

  private static LogicalTree tree(long id, String sst) {
    return new LogicalTree(id, List.of(ForestDrawing.sst(100 + id, sst)));
  }
}
