package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.SampledForests;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpaceTest {
  private static final int KEYS_PER_UNIT = 2_000;
  private static final long WRITE_BUFFER_BYTES = (long) KEYS_PER_UNIT * SampledForests.ENTRY_BYTES;
  private static final Space RULE = new Space(1.5, WRITE_BUFFER_BYTES, Shape.MOVES);

  /**
   * A forest, drawn as stages, their trees, newest first, and of each the units of keys that it
   * holds: "0-3 | 0-9", of tombstones "0-3†". Ids are the places of the trees.
   */
  private static Forest forest(String drawing) {
    Forest forest = Forest.empty(1, "default");
    String[] stages = drawing.split("\\|", -1);
    List<List<String>> drawn = new ArrayList<>();
    for (String stage : stages) {
      drawn.add(stage.isBlank() ? List.of() : List.of(stage.strip().split(" +", -1)));
    }
    int id = 1;
    for (int stage = 1; stage <= drawn.size(); stage++) {
      List<LogicalTree> trees = new ArrayList<>();
      for (String tree : drawn.get(stage - 1)) {
        trees.add(tree(id++, tree));
      }
      Collections.reverse(trees);
      for (LogicalTree tree : trees) {
        forest = forest.withTree(stage, tree);
      }
    }
    return forest;
  }

  private static LogicalTree tree(int id, String drawn) {
    String[] ends = drawn.replace("†", "").split("-", -1);
    int from = Integer.parseInt(ends[0]) * KEYS_PER_UNIT;
    int to = (Integer.parseInt(ends[ends.length - 1]) + 1) * KEYS_PER_UNIT;
    TreeMap<Integer, Boolean> keys = new TreeMap<>();
    IntStream.range(from, to).forEach(key -> keys.put(key, drawn.endsWith("†")));
    return SampledForests.tree(id, keys, KEYS_PER_UNIT);
  }

  private static List<CompactionPlan> space(Forest forest) {
    return PolicyRules.plans(RULE, Picture.of(forest));
  }

  private static String described(List<CompactionPlan> plans) {
    return plans.stream()
        .map(
            plan ->
                plan.inputs().stream()
                        .map(tree -> Long.toString(tree.id()))
                        .collect(Collectors.joining(" "))
                    + " into stage "
                    + plan.targetStage())
        .collect(Collectors.joining(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0-9 0-9; 1 2 into stage 2",
        "0-9 | 0-9; 1 2 into stage 2",
        "0-9 | | 0-9; 1 2 into stage 3",
        // Up to the limit, nothing.
        "0-3 | 0-9; ''",
        "0-5 | 0-9; 1 2 into stage 2",
        // Keys that are written once.
        "30-39 20-29 10-19 | 0-9; ''",
        // A write buffer each.
        "0 | 0; 1 2 into stage 2",
        // The newest tree has nothing of what is dead.
        "40-42 0-9 | 0-9 | 0-9; 2 3 4 into stage 3",
        // Nothing is dead in the oldest tree, but a lot before it.
        "0-9 0-9 0-9 | 10-19; 1 2 3 4 into stage 2",
        // Deleted, all or a part.
        "0-9† | 0-9; 1 2 into stage 2",
        "0-3† | 0-9; 1 2 into stage 2",
        "0† | 0-9; ''",
        // Tombstones of the oldest tree are there for a snapshot.
        "0-9†; ''",
        "20-29 | 0-9†; ''",
      })
  void theOldestTreesWithMostDeadDataAreMerged(String drawing, @Nullable String expected) {
    Forest forest = forest(drawing);
    List<CompactionPlan> due = space(forest);
    assertThat(described(due)).isEqualTo(expected == null ? "" : expected);
    for (CompactionPlan plan : due) {
      assertThat(plan.gathers()).isTrue();
      assertThat(plan.older()).isEmpty();
      assertThat(plan.reason()).isEqualTo(CompactionReason.SPACE);
      List<Long> inputs = plan.inputs().stream().map(LogicalTree::id).toList();
      Forest begun =
          forest
              .apply(new ForestEdit.TreesMoved(1, plan.targetStage(), inputs))
              .apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
      assertThat(begun.stage(1).size() + plan.inputs().size())
          .isGreaterThanOrEqualTo(forest.stage(1).size());
      assertThat(space(begun)).isEmpty();
    }
  }

  @Test
  void littleIsNotWorthAMerge() {
    int tenth = KEYS_PER_UNIT / 10;
    Forest forest = Forest.empty(1, "default");
    for (int i = 0; i < 4; i++) {
      TreeMap<Integer, Boolean> keys = new TreeMap<>();
      IntStream.range(0, tenth).forEach(key -> keys.put(key, false));
      forest = forest.withTree(1, SampledForests.tree(i + 1, keys, KEYS_PER_UNIT));
    }
    assertThat(SpaceEstimate.of(forest).deadBytes()).isPositive();
    assertThat(space(forest)).isEmpty();
  }

  /** Ten times as many bytes of values as of SSTs; of the newest tree so many units of keys. */
  @ParameterizedTest
  @CsvSource({"1, false", "2, true", "4, true"})
  void valuesThatAreHiddenAreFoundOutEarly(int units, boolean isDue) {
    Forest forest = Forest.empty(1, "default");
    for (int id = 1; id <= 2; id++) {
      TreeMap<Integer, Boolean> keys = new TreeMap<>();
      int end = (id == 1 ? 10 : units) * KEYS_PER_UNIT;
      IntStream.range(0, end).forEach(key -> keys.put(key, false));
      forest =
          forest.withTree(
              1, SampledForests.tree(id, keys, KEYS_PER_UNIT, 10 * SampledForests.ENTRY_BYTES));
    }
    SpaceEstimate estimate = SpaceEstimate.of(forest);
    double hidden = (double) estimate.hiddenValueBytes() / (10 * WRITE_BUFFER_BYTES);
    assertThat(hidden).isBetween(0.7 * units, 1.3 * units);
    assertThat(estimate.liveValueBytes())
        .isEqualTo(forest.values().referredBytes() - estimate.hiddenValueBytes());
    // Dead bytes of SSTs, of which there are half as many as may be, are no reason.
    assertThat(estimate.deadBytes()).isLessThanOrEqualTo(estimate.liveBytes() / 2);
    assertThat(described(space(forest))).isEqualTo(isDue ? "2 1 into stage 2" : "");
  }

  @Test
  void treesInUseAreLeftAlone() {
    Forest forest = forest("0-9 0-9 | 0-9 | 0-9");
    Forest newest = forest.apply(CompactionEdits.begun(90, List.of(1L), KeySpan.ALL, 90, 1));
    assertThat(described(space(newest))).isEqualTo("2 3 4 into stage 3");
    Forest middle = forest.apply(CompactionEdits.begun(90, List.of(3L), KeySpan.ALL, 90, 2));
    assertThat(space(middle)).isEmpty();
    Forest oldest = forest.apply(CompactionEdits.begun(90, List.of(4L), KeySpan.ALL, 90, 3));
    assertThat(space(oldest)).isEmpty();
  }
}
