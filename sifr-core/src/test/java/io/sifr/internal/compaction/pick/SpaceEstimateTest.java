package io.sifr.internal.compaction.pick;

import static io.sifr.testing.SampledForests.ENTRY_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.forest.Forest;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.SampledForests;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpaceEstimateTest {
  private static SortedMap<Integer, Boolean> range(int from, int to, boolean tombstones) {
    SortedMap<Integer, Boolean> keys = new TreeMap<>();
    IntStream.range(from, to).forEach(key -> keys.put(key, tombstones));
    return keys;
  }

  private static Forest with(Forest forest, int stage, SortedMap<Integer, Boolean> keys) {
    long id = forest.byPriority().size() + 1L;
    return forest.withTree(stage, SampledForests.tree(id, keys, 7_000));
  }

  /** Of each tree from the newest on: what would be left of it and all older ones. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @Tag("model")
  void isCloseToTheTruthForDrawnForests(long seed) {
    Random random = new Random(seed);
    Forest forest = Forest.empty(1, "default");
    Map<Integer, Boolean> merged = new HashMap<>();
    int trees = 2 + random.nextInt(8);
    int space = 20_000 + random.nextInt(150_000);
    for (int i = 0; i < trees; i++) {
      int size = 5_000 + random.nextInt(60_000);
      double tombstones = i > 0 && random.nextBoolean() ? random.nextDouble() : 0;
      SortedMap<Integer, Boolean> keys = new TreeMap<>();
      for (int j = 0; j < size; j++) {
        keys.put(random.nextInt(space), random.nextDouble() < tombstones);
      }
      forest = with(forest, 1, keys);
      merged.putAll(keys);
      long live = merged.values().stream().filter(isTombstone -> !isTombstone).count();
      long truth = live * ENTRY_BYTES;
      SpaceEstimate estimate = SpaceEstimate.of(forest);
      assertThat(estimate.bytes()).isEqualTo(forest.bytes());
      assertThat((double) estimate.liveBytes())
          .describedAs("seed %d, %d trees", seed, i + 1)
          .isCloseTo((double) truth, within(0.1 * forest.bytes()));
      assertThat(estimate.liveBytes() + estimate.deadBytes()).isEqualTo(forest.bytes());
    }
  }

  @Test
  void keysThatAreWrittenOnceAreAllLive() {
    Forest forest = Forest.empty(1, "default");
    for (int i = 0; i < 20; i++) {
      forest = with(forest, 1, range(i * 20_000, (i + 1) * 20_000, false));
      assertThat(SpaceEstimate.of(forest).deadBytes()).isZero();
    }
  }

  @Test
  void aTombstoneIsDeadUnlessItsTreeIsTheOldest() {
    Forest all = with(Forest.empty(1, "default"), 2, range(0, 20_000, false));
    all = with(all, 1, range(0, 20_000, true));
    assertThat(SpaceEstimate.of(all).liveBytes()).isZero();
    Forest kept = with(Forest.empty(1, "default"), 2, range(0, 20_000, true));
    assertThat(SpaceEstimate.of(kept).deadBytes()).isZero();
    kept = with(kept, 1, range(20_000, 40_000, false));
    assertThat(SpaceEstimate.of(kept).deadBytes()).isZero();
  }

  @Test
  void mergingTheOlderTreesFreesWhatIsDeadAmongThem() {
    Forest forest = with(Forest.empty(1, "default"), 3, range(0, 40_000, false));
    forest = with(forest, 2, range(0, 10_000, false));
    forest = with(forest, 1, range(0, 20_000, false));
    SpaceEstimate estimate = SpaceEstimate.of(forest);
    assertThat(estimate.deadBytesFrom(2)).isZero();
    assertThat((double) estimate.deadBytesFrom(1)).isCloseTo(1e6, within(1.5e5));
    // Each version but the newest of all: 10,000 of stage 2, 20,000 of stage 3.
    assertThat((double) estimate.deadBytesFrom(0)).isCloseTo(3e6, within(4e5));
  }

  @Test
  void withoutSamplesAllIsLive() {
    Forest forest = ForestDrawing.parse("S1: [a-c] [a-c] | S2: [a-c]");
    assertThat(SpaceEstimate.of(forest).liveBytes()).isEqualTo(forest.bytes());
    assertThat(SpaceEstimate.of(Forest.empty(1, "default")).bytes()).isZero();
  }
}
