package io.sifr.internal.forest;

import static io.sifr.internal.forest.Compaction.Shape.DROPS;
import static io.sifr.testing.CompactionEdits.begun;
import static io.sifr.testing.CompactionEdits.compacted;
import static io.sifr.testing.CompactionEdits.progress;
import static io.sifr.testing.CompactionEdits.span;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.forest.ForestEdit.CompactionBegun;
import io.sifr.internal.forest.ForestEdit.CompactionProgressed;
import io.sifr.internal.forest.ForestEdit.TreesMoved;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import java.util.Objects;
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
    Forest after =
        compacted(
            forest,
            begun(10, List.of(2L, 3L), 2),
            List.of(ForestDrawing.sst(11, "a-k:8K")),
            3L,
            5L);

    assertThat(ForestDrawing.print(after)).isEqualTo("S1: [p-q] | S2: [a-k:8K m-n x-z] [a-m]");
    assertThat(after.stage(2).get(0).id()).isEqualTo(10);
    assertThat(after.stage(2).get(0).ssts().get(1)).isSameAs(forest.stage(1).get(2).ssts().get(1));
    assertThat(ForestDrawing.print(forest)).isEqualTo("S1: [p-q] [a-f x-z] [c-k m-n] | S2: [a-m]");
  }

  @Test
  void leavesNoTreeWhenACompactionLeavesNoEntry() {
    Forest forest = ForestDrawing.parse("S1: | S2: [a-b]");

    Forest after = compacted(forest, begun(9, List.of(1L), 3), List.of());

    assertThat(after.byPriority()).isEmpty();
    assertThat(after.stageCount()).isZero();
  }

  @Test
  void countsStagesUpToTheHighestThatHoldsATree() {
    Forest forest = ForestDrawing.parse("S1: [a-b] | S2: | S3: [a-b]");

    assertThat(forest.stageCount()).isEqualTo(3);
    assertThat(compacted(forest, begun(9, List.of(2L), 4), List.of()).stageCount()).isEqualTo(1);
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

    assertRefused(forest, begun(9, List.of(1L, 7L), 2), "of the trees [1, 7]");
    assertRefused(forest, begun(9, List.of(1L, 1L), 2), "of the trees [1, 1]");
    assertRefused(forest, begun(9, List.of(2L, 1L), 2), "input trees [2, 1]");
    assertRefused(forest, begun(9, List.of(), 2), "input trees []");
  }

  @Test
  void refusesMovedSstsThatAreInNoInputOrOverlap() {
    Forest forest =
        ForestDrawing.parse("S1: [a-f] [c-k] [m-n]").apply(begun(9, List.of(2L, 3L), 2));

    assertRefused(forest, progress(9, KeySpan.ALL, List.of(), 1L), "moved SST 1");
    assertRefused(forest, progress(9, KeySpan.ALL, List.of(), 3L, 3L), "SST 3");
    List<Sst> overlapping = List.of(ForestDrawing.sst(20, "b-d"));
    assertRefused(forest, progress(9, KeySpan.ALL, overlapping, 2L), "SST 2");
    assertRefused(
        forest, progress(9, span("- c"), overlapping), "SST 20 lies outside the key range");
    assertRefused(forest, progress(8, KeySpan.ALL, List.of()), "no compaction 8");
  }

  @Test
  void refusesIdsThatAreInUseAndStagesThatCannotBe() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k]");

    assertRefused(forest, begun(1, List.of(2L), 2), "output tree 1 is in stage 1");
    assertThatThrownBy(() -> forest.withTree(1, tree(1, "x-y")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a tree 1 already");
    for (int stage : new int[] {Integer.MIN_VALUE, 0, 65, Integer.MAX_VALUE}) {
      String why = "stage is " + stage + "; allowed: 1 to 64";
      assertThatThrownBy(() -> forest.withTree(stage, tree(5, "x-y")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(why);
      assertRefused(forest, begun(9, List.of(2L), stage), why);
    }
    assertThat(forest.withTree(64, tree(5, "x-y")).stageCount()).isEqualTo(64);
  }

  /** I1: no tree may change its order with an input. */
  @Test
  void refusesACompactionThatOvertakesAnotherTree() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] [b-c] | S2: [a-m] [a-z] | S3: [a-z]");

    for (CompactionBegun wrong :
        List.of(
            begun(9, List.of(1L), 2),
            begun(9, List.of(1L, 3L), 2),
            begun(9, List.of(3L), 3),
            begun(9, List.of(3L, 5L), 2),
            begun(9, List.of(4L), 3),
            begun(9, List.of(6L), 2))) {
      assertRefused(forest, wrong, "would change its order");
    }
    for (CompactionBegun right :
        List.of(
            begun(9, List.of(3L), 1),
            begun(9, List.of(3L), 2),
            begun(9, List.of(2L, 3L), 2),
            begun(9, List.of(1L, 2L), 1),
            begun(9, List.of(2L, 3L, 4L), 2),
            begun(9, List.of(1L, 2L, 3L, 4L, 5L, 6L), 3),
            begun(9, List.of(5L, 6L), 3),
            begun(9, List.of(6L), 3),
            begun(9, List.of(6L), 4))) {
      assertThat(compacted(forest, right, List.of()).byPriority())
          .hasSize(6 - right.compaction().inputTreeIds().size());
    }
  }

  /** I1 within a span: only what holds something there has to keep its order. */
  @Test
  void aSpanMayBeMergedPastTreesThatHoldNothingThere() {
    Forest forest = ForestDrawing.parse("S1: [a-f p-q] [g-m] | S2: [a-c k-z] | S3: [a-b x-z]");

    List<Long> inputs = List.of(1L, 4L);
    assertRefused(forest, begun(9, List.of(1L), span("- b"), 4, 3), "tree 3 would change its");
    assertRefused(forest, begun(9, List.of(1L), span("- m"), 9, 2), "tree 2 would change its");
    for (CompactionBegun right :
        List.of(
            begun(9, List.of(1L), span("c f"), 4, 3),
            begun(9, List.of(1L), span("- f"), 9, 2),
            begun(9, List.of(2L), span("f j"), 4, 3),
            begun(9, inputs, span("c f"), 4, 3))) {
      assertThat(forest.apply(right).compactions()).hasSize(1);
    }
    assertRefused(forest, begun(9, List.of(1L), span("c g"), 3, 2), "tree 2 would change its");
    assertRefused(forest, begun(9, List.of(2L), span("f -"), 3, 2), "tree 3 would change its");
  }

  /** It is dropped from a span that reaches over keys of which the tree holds nothing. */
  @Test
  void aSpanMayBeMergedPastATreeOfWhichSomethingIsDropped() {
    Forest forest = ForestDrawing.parse("S1: [a-f p-q] | S2: [k-z] | S3: [a-b x-z]");
    Forest merging = forest.apply(begun(9, List.of(1L, 3L), span("- f"), 3, 3));
    List<Long> second = List.of(2L);
    assertThat(merging.apply(begun(10, second, span("- z"), 2, 2, DROPS)).compactions()).hasSize(2);
    assertRefused(merging, begun(10, second, span("- z"), 2, 2), "tree 2 would change its");
  }

  @Test
  void aSpanIsMergedIntoATreeThatExists() {
    Forest forest = ForestDrawing.parse("S1: [a-f p-q] | S2: [a-c d-k x-z]");
    Forest begun = forest.apply(begun(9, List.of(1L, 2L), span("c g"), 2, 2));
    Forest merged =
        begun.apply(progress(9, span("c g"), List.of(ForestDrawing.sst(50, "d-g")))).withEnded(9);

    assertThat(ids(merged)).containsExactly(1L, 2L);
    assertThat(ForestDrawing.print(merged)).isEqualTo("S1: [a-f p-q] | S2: [a-c d-g d-k x-z]");
    assertThat(find(merged, "c")).containsExactly(1L, 3L);
    assertThat(find(merged, "d")).containsExactly(50L);
    assertThat(find(merged, "h")).containsExactly(4L);
    assertThat(find(merged, "q")).containsExactly(2L);
  }

  /** What a compaction owns is a tree within a span: nothing else keeps another one away. */
  @Test
  void compactionsShareATreeInOtherSpansOnly() {
    Forest forest =
        ForestDrawing.parse("S1: [a-f p-q] | S2: [a-c d-k x-z]")
            .apply(begun(9, List.of(1L, 2L), span("- m"), 2, 2));

    assertRefused(forest, begun(10, List.of(2L), span("f z"), 10, 3), "compaction 9 owns");
    assertRefused(forest, begun(10, List.of(1L), span("c e"), 10, 1), "compaction 9 owns");
    assertRefused(forest, begun(9, List.of(1L), span("m z"), 10, 1), "compaction 9 owns");
    Forest both = forest.apply(begun(10, List.of(2L), span("m z"), 10, 3));
    assertThat(both.compactions()).hasSize(2);
    Forest merged = both.apply(progress(9, span("- e"), List.of()));
    assertThat(merged.apply(begun(11, List.of(2L), span("- e"), 11, 3)).compactions()).hasSize(3);
    assertThat(merged.oldestIdle(1)).isEmpty();
    assertThat(merged.withEnded(9).withEnded(10).oldestIdle(1)).hasSize(1);
  }

  /** It may end anywhere: I2 holds at any frontier. */
  @Test
  void anEndLeavesToTheInputsWhatWasNotMerged() {
    Forest forest =
        ForestDrawing.parse("S1: [a-f p-q] [c-e]")
            .apply(begun(9, List.of(1L, 2L), 2))
            .apply(progress(9, span("- d"), List.of(ForestDrawing.sst(50, "a-d"))));

    Forest ended = forest.withEnded(9);
    assertThat(ended.compactions()).isEmpty();
    assertThat(ids(ended)).containsExactly(1L, 2L, 9L);
    assertThat(find(ended, "d")).containsExactly(50L);
    assertThat(find(ended, "e")).containsExactly(1L, 3L);
    assertThatThrownBy(() -> ended.withEnded(9)).isInstanceOf(IllegalArgumentException.class);
  }

  /** What it merged is the output's, and is not taken twice. */
  @Test
  void refusesProgressOutsideOfWhatIsLeft() {
    Forest forest =
        ForestDrawing.parse("S1: [a-f p-q] [c-e]")
            .apply(begun(9, List.of(1L, 2L), span("b p"), 9, 2))
            .apply(progress(9, span("c d"), List.of()));

    for (String span : List.of("- c", "b d", "c d", "d q", "p q", "- -")) {
      assertRefused(forest, progress(9, span(span), List.of()), "does not own these keys");
    }
    assertThat(forest.compactions().get(0).remaining()).hasSize(2);
    Forest more =
        forest
            .apply(progress(9, span("d p"), List.of()))
            .apply(progress(9, span("b c"), List.of()));
    assertThat(more.compactions().get(0).remaining()).isEmpty();
  }

  /** Trees of all stages become the oldest of the highest, where other trees come in above them. */
  @Test
  void movesTreesToAnotherStageInTheirOrder() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] | S2: | S3: [a-m] [a-z]");
    Forest moved = forest.apply(new TreesMoved(1, 3, List.of(1L, 2L, 3L, 4L)));
    assertThat(ForestDrawing.print(moved)).isEqualTo("S1: | S2: | S3: [a-f] [c-k] [a-m] [a-z]");

    Forest begun = moved.apply(begun(9, List.of(1L, 2L, 3L, 4L), 3));
    assertThat(begun.oldestIdle(3)).isEmpty();
    begun = begun.withTree(1, tree(5, "b-c")).withTree(1, tree(6, "b-d"));
    begun = compacted(begun, begun(7, List.of(6L, 5L), 3), List.of(), 105L);
    assertThat(ForestDrawing.print(begun))
        .isEqualTo("S1: | S2: | S3: [b-c] [a-f] [c-k] [a-m] [a-z]");
    begun = begun.withTree(2, tree(8, "b-g"));

    Sst written = ForestDrawing.sst(50, "a-g");
    Forest progressed = begun.apply(progress(9, span("- g"), List.of(written)));
    assertThat(ids(progressed)).containsExactly(8L, 7L, 9L, 2L, 3L, 4L);
    assertThat(ids(progressed.apply(begun(20, List.of(8L), 3)))).isEqualTo(ids(progressed));

    Forest over = progressed.apply(progress(9, span("g z"), List.of())).withEnded(9);
    assertThat(ids(over)).containsExactly(8L, 7L, 9L);
  }

  @Test
  void refusesToMoveTreesPastOthersOrUnderACompaction() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] | S2: [a-m]");
    assertThat(ids(forest.apply(new TreesMoved(1, 2, List.of(1L, 2L, 3L)))))
        .containsExactly(1L, 2L, 3L);
    for (List<Long> trees : List.of(List.of(1L), List.of(2L), List.of(1L, 3L))) {
      assertThatThrownBy(() -> forest.apply(new TreesMoved(1, 2, trees)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("would change their order");
    }
    Forest begun = forest.apply(begun(9, List.of(2L), 2));
    assertThatThrownBy(() -> begun.apply(new TreesMoved(1, 3, List.of(3L, 2L))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tree 2 is in a compaction");
  }

  /** I1: an output has its place from the beginning, so no newer flush ever stands below it. */
  @Test
  void whatIsFlushedSinceACompactionBeganStaysAboveItsOutput() {
    Forest flushed =
        ForestDrawing.parse("S1: [a-f] [c-k]")
            .apply(begun(9, List.of(1L, 2L), 1))
            .withTree(1, tree(5, "a-z"));
    for (KeySpan span : List.of(span("- g"), KeySpan.ALL)) {
      Forest progressed = flushed.apply(progress(9, span, List.of(ForestDrawing.sst(50, "a-g"))));
      assertThat(ids(progressed).subList(0, 2)).containsExactly(5L, 9L);
    }
  }

  /** I1 after every edit: also when a tree comes between that no compaction is about. */
  @Test
  void refusesATreeThatComesBetweenTheInputsAndTheOutput() {
    Forest begun =
        ForestDrawing.parse("S1: [a-f] | S2: [m-z]")
            .apply(begun(9, List.of(1L), span("- f"), 2, 2));

    assertThat(ids(begun.withTree(2, tree(5, "g-h")))).containsExactly(1L, 5L, 2L);
    assertThatThrownBy(() -> begun.withTree(2, tree(5, "c-d")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tree 5 would change its order");
  }

  /** What is written may reach over keys between which its inputs held nothing. */
  @Test
  void refusesACompactionPastATreeThatIsGoingToBeWritten() {
    Forest begun =
        ForestDrawing.parse("S1: [k] | S2: [a-b y-z] | S3: | S4: [a-z]")
            .apply(begun(9, List.of(2L), 3));
    assertRefused(begun, begun(10, List.of(1L, 3L), span("c p"), 3, 4), "tree 9 would change its");
    Forest merged = begun.apply(progress(9, KeySpan.ALL, List.of(), 2L, 3L)).withEnded(9);
    assertThat(merged.apply(begun(10, List.of(1L, 3L), span("c p"), 3, 4)).compactions())
        .hasSize(1);
  }

  /** A tree keeps its place as long as a compaction uses it, and is not seen. */
  @Test
  void aTreeWithoutAnythingIsNotSeen() {
    Forest begun =
        ForestDrawing.parse("S1: [a-f] | S2: [m-z]")
            .apply(begun(9, List.of(1L), span("- f"), 9, 4));
    assertThat(begun.stageCount()).isEqualTo(2);
    assertThat(ids(begun)).containsExactly(1L, 2L);
    assertThat(begun.stageOf(9)).isEqualTo(4);
    Forest merged = begun.apply(progress(9, span("- f"), List.of()));
    assertThat(ids(merged)).containsExactly(2L);
    assertThat(merged.sourceStage(merged.compactions().get(0))).isEqualTo(1);
    assertThat(merged.withEnded(9).stageOf(9)).isZero();
  }

  private static List<Long> find(Forest forest, String key) {
    byte[] bytes = key.getBytes(UTF_8);
    return forest.byPriority().stream()
        .map(tree -> tree.find(bytes, 0, bytes.length))
        .filter(Objects::nonNull)
        .map(Sst::number)
        .toList();
  }

  private static List<Long> ids(Forest forest) {
    return forest.byPriority().stream().map(LogicalTree::id).toList();
  }

  private static void assertRefused(Forest forest, CompactionBegun begun, String why) {
    assertThatThrownBy(() -> forest.apply(begun))
        .describedAs("%s", begun)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  private static void assertRefused(Forest forest, CompactionProgressed progress, String why) {
    assertThatThrownBy(() -> forest.apply(progress))
        .describedAs("%s", progress)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  private static LogicalTree tree(long id, String sst) {
    return new LogicalTree(id, List.of(ForestDrawing.sst(100 + id, sst)));
  }
}
