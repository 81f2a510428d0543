package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Idle;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.TestPolicies;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that nobody writes to ends as one or two trees, although nobody reads it. */
class IdleStoresAreMergedTest {
  private static final int KEYS = 3000;
  private static final int FLUSHES = 23;

  @TempDir Path directory;

  private static StoreOptions.Builder options() {
    return SmallStores.options().compaction(CompactionPolicy.splitForest(4));
  }

  /** A store that is idle when nobody has written for so long. */
  private Store open(StoreOptions options, long idleMillis) {
    List<Rule> rules = new ArrayList<>();
    for (Rule rule : Policies.of(options).rules()) {
      rules.add(rule instanceof Idle idle ? new Idle(idle.shape(), idleMillis) : rule);
    }
    Extensions extensions =
        new Extensions(EntryKinds.STANDARD, BlockCodecs.STANDARD, new CompactionPicker(rules));
    return TestStores.open(
        directory,
        options,
        new NoSyncFileSystem(new DiskFileSystem()),
        StoreListener.NONE,
        extensions);
  }

  /** Each tree holds keys from everywhere. */
  private static void load(Store store) {
    for (int i = 0; i < FLUSHES; i++) {
      for (int key = i; key < KEYS; key += FLUSHES) {
        store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
      }
      store.flush();
    }
  }

  private static int trees(Store store) {
    return store.database().forest().trees();
  }

  private static long whenIdle(Store store) {
    return store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.IDLE, 0L);
  }

  /** It looks by itself whether anybody has written: nobody calls it after the load. */
  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void oneThatNobodyWritesToEndsAsOneOrTwoTrees(CompactionPolicy.Kind policy) {
    try (Store store =
        open(
            options().compaction(TestPolicies.of(policy, "growthFactor=4", "trees=4")).build(),
            300)) {
      load(store);
      store.awaitIdle();
      boolean hadMore = trees(store) > 2; // when leveled it has not
      Waiting.until("two trees", () -> trees(store) <= 2);
      store.awaitIdle();
      if (hadMore) {
        assertThat(whenIdle(store)).isPositive();
      }
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
    try (Store store = open(options().build(), Long.MAX_VALUE)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
  }

  /** Idle at once, again and again: in all not more is written than was flushed. */
  @Test
  void noMoreIsWrittenThanWasFlushed() {
    long without;
    try (Store store = open(options().readCompactionBytesPerSecond(0).build(), Long.MAX_VALUE)) {
      without = loadWithPauses(store);
      assertThat(whenIdle(store)).isZero();
    }
    directory = directory.resolve("idle");
    try (Store store = open(options().build(), 0)) {
      long with = loadWithPauses(store);
      long flushed = store.statistics().get(Metric.FLUSH_BYTES);
      assertThat(whenIdle(store)).isGreaterThan(2);
      assertThat(with - without).isLessThanOrEqualTo(flushed);
    }
  }

  private static long loadWithPauses(Store store) {
    for (int round = 0; round < 5; round++) {
      load(store);
      store.awaitIdle();
    }
    return store.statistics().get(Metric.COMPACTION_BYTES);
  }

  @Test
  void oneThatWasOpenedAndNotWrittenToIsLeftAlone() {
    int trees;
    try (Store store = open(options().build(), Long.MAX_VALUE)) {
      load(store);
      store.awaitIdle();
      trees = trees(store);
      assertThat(trees).isGreaterThan(2);
    }
    try (Store store = open(options().build(), 0)) {
      store.awaitIdle();
      assertThat(trees(store)).isEqualTo(trees);
      assertThat(whenIdle(store)).isZero();
    }
  }
}
