package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.SstMetas;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HomeTest {
  private Forest forest = Forest.empty(1, "default");
  private long numbers = 10;

  /** Adds a tree of SSTs with one key each, which are logged after that number, if it is not -1. */
  private long add(int stage, String keys, long... after) {
    List<Sst> ssts = new ArrayList<>();
    for (int i = 0; i < after.length; i++) {
      byte[] key = keys.substring(i, i + 1).getBytes(UTF_8);
      SstMeta meta = SstMetas.of(numbers++, 1, 4096, 2, 0, 0, 10, 0, 1, 2, key, key);
      ssts.add(
          new Sst(after[i] < 0 ? meta : meta.with(new SstMeta.Logged(after[i], after[i] + 100))));
    }
    LogicalTree tree = new LogicalTree(numbers++, ssts);
    forest = forest.withTree(stage, tree);
    return tree.id();
  }

  private List<CompactionPlan> due(long homeBefore) {
    return PolicyRules.plans(
        new Home(), Picture.of(forest, new long[0], 0, new Picture.Upkeep(homeBefore, 0)));
  }

  @Test
  void nothingIsDueAsLongAsTheLogIsNotTooMuch() {
    add(1, "a", 50);
    assertThat(due(0)).isEmpty();
    assertThat(due(51)).isEmpty();
    assertThat(due(52)).hasSize(1);
  }

  @Test
  void whatIsLoggedBeforeIsRewrittenInItsTree() {
    add(1, "ab", -1, -1);
    long tree = add(1, "abcdef", 50, 50, 200, -1, 50, 50);
    add(1, "a", 200);
    assertThat(due(150)).hasSize(1);
    CompactionPlan plan = due(150).get(0);
    assertThat(plan.inputs()).extracting(LogicalTree::id).containsExactly(tree);
    assertThat(plan.output()).isEqualTo(tree);
    assertThat(plan.shape()).isEqualTo(Compaction.Shape.REWRITES);
    assertThat(plan.reason()).isEqualTo(CompactionReason.LOG);
    assertThat(plan.spans()).hasSize(2);
    assertThat(plan.spans().get(0).above()).isNull();
    assertThat(plan.spans().get(0).last()).isEqualTo("b".getBytes(UTF_8));
    assertThat(plan.spans().get(1).above()).isEqualTo("d".getBytes(UTF_8));
    assertThat(plan.spans().get(1).last()).isEqualTo("f".getBytes(UTF_8));
  }

  /** What is being compacted leaves anyway. */
  @Test
  void whatIsBeingCompactedIsLeftAlone() {
    long tree = add(1, "ab", 50, 50);
    forest =
        forest.apply(
            new ForestEdit.CompactionBegun(
                1,
                new Compaction(
                    99, List.of(tree), 99, Compaction.Shape.REWRITES, List.of(KeySpan.ALL)),
                2));
    assertThat(due(150)).isEmpty();
  }

  @Test
  void anyPolicyHasItIfTheFastDirectoryMayBeLost() {
    for (CompactionPolicy policy :
        List.of(CompactionPolicy.fifo(1 << 20), CompactionPolicy.leveled())) {
      StoreOptions.Builder options = StoreOptions.builder().compaction(policy).fastIsVolatile(true);
      assertThat(Policies.of(options.build()).rules()).noneMatch(Home.class::isInstance);
      options.fastDirectory(Path.of("/fast"));
      assertThat(Policies.of(options.build()).rules()).anyMatch(Home.class::isInstance);
      options.fastIsVolatile(false);
      assertThat(Policies.of(options.build()).rules()).noneMatch(Home.class::isInstance);
    }
  }
}
