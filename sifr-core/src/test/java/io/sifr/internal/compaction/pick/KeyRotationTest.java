package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.SstMetas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyRotationTest {
  private static final long UNIT = KeyRotation.BYTES_AT_A_TIME / 4;

  private Forest forest = Forest.empty(1, "default");
  private long numbers = 10;

  /** Adds a tree of SSTs with one user key each, encrypted with these keys. */
  private long add(int stage, String keys, int... encryptedWith) {
    List<Sst> ssts = new ArrayList<>();
    for (int i = 0; i < encryptedWith.length; i++) {
      byte[] key = keys.substring(i, i + 1).getBytes(UTF_8);
      SstMeta meta = SstMetas.of(numbers++, 1, UNIT, 2, 0, 0, 10, 0, 1, 2, key, key);
      ssts.add(
          new Sst(
              new SstMeta(
                  new SstMeta.Identity(meta.number(), 1, UNIT, encryptedWith[i]),
                  meta.keys(),
                  meta.counts(),
                  meta.sequences(),
                  meta.times())));
    }
    LogicalTree tree = new LogicalTree(numbers++, ssts);
    forest = forest.withTree(stage, tree);
    return tree.id();
  }

  private List<CompactionPlan> due(int key) {
    List<CompactionPlan> due = new ArrayList<>();
    Picture picture = Picture.of(forest, new long[0], 1000, new Picture.Upkeep(0, key));
    Rule.Look look = new KeyRotation().propose(picture, proposal -> due.add(proposal.plan()));
    assertThat(look.time()).isEqualTo(1000 + KeyRotation.LOOK_MILLIS);
    return due;
  }

  /** Last keys of the key ranges. */
  private static List<String> ends(List<CompactionPlan> plans) {
    return plans.stream().map(plan -> new String(plan.spans().get(0).last(), UTF_8)).toList();
  }

  @Test
  void whatIsOfOtherKeysIsRewrittenInItsTree() {
    add(1, "ab", 2, 2);
    long tree = add(1, "abcdef", 1, 1, 2, 0, 2, 2);
    assertThat(due(2)).hasSize(2);
    CompactionPlan plan = due(2).get(0);
    assertThat(plan.inputs()).extracting(LogicalTree::id).containsExactly(tree);
    assertThat(plan.output()).isEqualTo(tree);
    assertThat(plan.shape()).isEqualTo(Compaction.Shape.REWRITES);
    assertThat(plan.reason()).isEqualTo(CompactionReason.KEY_ROTATION);
    assertThat(plan.spans()).hasSize(1);
    assertThat(plan.spans().get(0).above()).isNull();
    assertThat(ends(due(2))).containsExactly("b", "d");
    assertThat(due(2).get(1).spans().get(0).above()).isEqualTo("c".getBytes(UTF_8));
  }

  @Test
  void whatIsEncryptedIsDecryptedWithoutACurrentKey() {
    add(1, "abc", 0, 1, 0);
    assertThat(ends(due(0))).containsExactly("b");
  }

  @Test
  void nothingIsDueWhileTheKeyIsNotKnown() {
    add(1, "ab", 1, 2);
    assertThat(due(-1)).isEmpty();
  }

  @Test
  void partsOfATreeAreRewrittenAtATime() {
    int[] old = new int[10];
    Arrays.fill(old, 1);
    add(2, "abcdefghij", old);
    assertThat(ends(due(2))).containsExactly("d", "h", "j");
    assertThat(due(2).get(0).conflictsWith(due(2).get(1))).isFalse();
  }

  @Test
  void whatIsBeingCompactedIsLeftAlone() {
    long tree = add(1, "abcdefgh", 1, 1, 1, 1, 1, 1, 1, 1);
    KeySpan last = due(2).get(1).spans().get(0);
    forest =
        forest.apply(
            new ForestEdit.CompactionBegun(
                1,
                new Compaction(99, List.of(tree), 99, Compaction.Shape.REWRITES, List.of(last)),
                2));
    assertThat(ends(due(2))).containsExactly("d");
  }
}
