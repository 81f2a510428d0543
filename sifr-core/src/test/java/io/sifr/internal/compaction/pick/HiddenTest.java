package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HiddenTest {
  @TempDir Path directory;
  private WrittenSsts ssts;
  private Forest forest = Forest.empty(1, "default");
  private LogicalTree data = new LogicalTree(1, List.of());

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    data = tree("a1 b2", "c1 d2", "e1 f2", "g1 h2", "i1 j2");
    forest = forest.withTree(2, data);
  }

  @AfterEach
  void end() {
    ssts.close();
  }

  private LogicalTree tree(String... drawings) {
    return new LogicalTree(
        ssts.nextNumber(), Stream.of(drawings).map(drawing -> ssts.write(drawing)).toList());
  }

  private LogicalTree withRanges(String drawing, String ranges) {
    return new LogicalTree(ssts.nextNumber(), List.of(ssts.write(drawing, ranges)));
  }

  private void add(int stage, LogicalTree tree) {
    forest = forest.withTree(stage, tree);
  }

  private List<String> due(long... snapshots) {
    return PolicyRules.plans(new Hidden(), Picture.of(forest, snapshots, 0)).stream()
        .map(
            plan -> {
              assertThat(plan.shape()).isEqualTo(Compaction.Shape.DROPS);
              assertThat(plan.inputs()).hasSize(1);
              assertThat(plan.output()).isEqualTo(plan.inputs().get(0).id());
              // It can begin.
              var unused =
                  forest.apply(
                      new ForestEdit.CompactionBegun(
                          1, plan.compaction(ssts.nextNumber()), plan.targetStage()));
              return plan.inputs().get(0).id() + text(plan.spans().get(0));
            })
        .toList();
  }

  private Look look(long... snapshots) {
    return new Hidden().propose(Picture.of(forest, snapshots, 0), proposal -> {});
  }

  private static String text(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    return "("
        + (above == null ? "" : new String(above, UTF_8))
        + ","
        + (last == null ? "" : new String(last, UTF_8))
        + "]";
  }

  private String ofData(String span) {
    return data.id() + span;
  }

  @Test
  void areThoseOfWholeSlicesInOlderTrees() {
    assertThat(due()).isEmpty();
    add(1, withRanges("x9", "d-h7"));
    assertThat(due()).containsExactly(ofData("(d,f]"));
    add(1, withRanges("x19", "c-d17"));
    assertThat(due()).containsExactly(ofData("(b,f]"));
    add(1, withRanges("x29", "A-k27"));
    assertThat(due()).containsExactly(ofData("(,j]"));
  }

  /** Neither what is newer, nor what is in the same tree, is hidden. */
  @Test
  void areNotInTreesAbove() {
    add(3, withRanges("x9", "a-9"));
    assertThat(due()).isEmpty();
    add(1, tree("b20 c20"));
    add(2, withRanges("x15", "a-k14"));
    assertThat(due()).containsExactly(ofData("(,j]"));
    forest = Forest.empty(1, "default");
    add(1, new LogicalTree(7, List.of(ssts.write("a1 b2"), ssts.write("c1 d1", "c-e7"))));
    assertThat(due()).isEmpty();
  }

  @Test
  void waitForSnapshotsThatSeeSomething() {
    add(1, withRanges("x9", "a-k7"));
    assertThat(due(0, 7, 8)).containsExactly(ofData("(,j]"));
    assertThat(due(1)).isEmpty();
    assertThat(due(6)).isEmpty();
    assertThat(look(1, 8)).isEqualTo(Look.onRelease(7));
    assertThat(look(0, 7)).isEqualTo(Look.NEVER);
  }

  @Test
  void waitForCompactionsOfTheirKeys() {
    add(1, withRanges("x9", "a-k7"));
    long number = ssts.nextNumber();
    KeySpan span = new KeySpan("j".getBytes(UTF_8), "z".getBytes(UTF_8));
    forest =
        forest.apply(
            new ForestEdit.CompactionBegun(
                1,
                new Compaction(
                    number, List.of(data.id()), number, Compaction.Shape.MOVES, List.of(span)),
                3));
    assertThat(due()).containsExactly(ofData("(,j]"));
    forest = forest.withEnded(number);
    forest = forest.apply(CompactionEdits.begun(number, List.of(data.id()), 3));
    assertThat(due()).isEmpty();
  }

  /** Many range tombstones and many slices, of which hardly any is hidden. */
  @Test
  void areFoundBetweenThoseThatAreNotHidden() {
    add(1, withRanges("x9", "A-B7 b-c7 c-e7 f-g7 g-i7 i-j7 m-n7"));
    assertThat(due()).containsExactly(ofData("(b,d]"), ofData("(f,h]"));
  }
}
