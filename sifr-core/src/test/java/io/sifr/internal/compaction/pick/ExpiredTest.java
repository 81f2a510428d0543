package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.SstMetas;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExpiredTest {
  private static final long NOW = 100;

  private Forest forest = Forest.empty(1, "default");
  private long numbers = 10;

  /** Adds the newest tree of a stage, of SSTs drawn as "first last expiry"; without, they stay. */
  private long add(int stage, String... drawings) {
    List<Sst> ssts = new ArrayList<>();
    for (String drawing : drawings) {
      String[] parts = drawing.split(" ", -1);
      SstMeta meta =
          SstMetas.of(
              numbers++,
              1,
              4096,
              2,
              0,
              0,
              10,
              0,
              1,
              2,
              parts[0].getBytes(UTF_8),
              parts[1].getBytes(UTF_8));
      ssts.add(
          new Sst(
              parts.length < 3 ? meta : meta.with(new SstMeta.Times(0, Long.parseLong(parts[2])))));
    }
    LogicalTree tree = new LogicalTree(numbers++, ssts);
    forest = forest.withTree(stage, tree);
    return tree.id();
  }

  private Picture picture() {
    return Picture.of(forest, new long[0], NOW);
  }

  private long next() {
    return new Expired().propose(picture(), proposal -> {}).time();
  }

  private List<String> due() {
    return PolicyRules.plans(new Expired(), picture()).stream()
        .map(
            plan -> {
              assertThat(plan.shape()).isEqualTo(Compaction.Shape.DROPS);
              assertThat(plan.inputs()).hasSize(1);
              KeySpan span = plan.spans().get(0);
              return plan.inputs().get(0).id() + text(span.above()) + text(span.last());
            })
        .toList();
  }

  private static String text(byte @Nullable [] key) {
    return " " + (key == null ? "-" : new String(key, UTF_8));
  }

  @Test
  void areThoseOfSstsAllOfWhoseValuesHaveExpired() {
    long tree = add(1, "a b 50", "c d 100", "e f 101", "g h", "i j 99");
    assertThat(due()).containsExactly(tree + " - d", tree + " h j");
  }

  @Test
  void theNextIsTheEarliestThatIsNotDue() {
    assertThat(next()).isEqualTo(ExpiringKind.NEVER);
    add(1, "a b 50", "c d 300", "e f 200", "g h");
    assertThat(next()).isEqualTo(200);
    assertThat(forest.expires()).isTrue();
    assertThat(Forest.empty(1, "default").expires()).isFalse();
  }

  @Test
  void waitForWhatLiesBelow() {
    long upper = add(1, "a c 50", "d f 50", "x z 50");
    add(2, "b b", "g h");
    assertThat(due()).containsExactly(upper + " c z");
    long lower = add(3, "e k 60");
    assertThat(due()).containsExactly(upper + " f z", lower + " - k");
  }

  /** An older tree is in the same stage, or in a higher one. */
  @Test
  void ofTwoThatOverlapTheOlderIsFirst() {
    long older = add(1, "b b 50");
    add(1, "a c 50");
    assertThat(due()).containsExactly(older + " - b");
  }

  @Test
  void waitForCompactions() {
    long tree = add(1, "a b 50", "c d 50");
    Compaction compaction =
        new Compaction(
            7,
            List.of(tree),
            numbers,
            Compaction.Shape.REWRITES,
            List.of(new KeySpan(null, "b".getBytes(UTF_8))));
    forest = forest.apply(new ForestEdit.CompactionBegun(1, compaction, 2));
    assertThat(due()).isEmpty();
    forest = forest.withEnded(7);
    assertThat(due()).containsExactly(tree + " - d");
  }
}
