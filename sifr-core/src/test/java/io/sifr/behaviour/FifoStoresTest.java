package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
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
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With {@link CompactionPolicy#fifo(long)} the newest data stays, and nothing else decides about
 * it.
 */
class FifoStoresTest {
  private static final int VALUE_BYTES = 200;

  @TempDir Path directory;

  private static StoreOptions options(CompactionPolicy policy) {
    return StoreOptions.builder().compaction(policy).writeBufferBytes(256 << 10).build();
  }

  /** A store for which any time without a write is long. */
  private Store openIdle(CompactionPolicy policy) {
    StoreOptions options = options(policy);
    CompactionPicker impatient =
        new CompactionPicker(
            Policies.of(options).rules().stream()
                .map(rule -> rule instanceof Idle idle ? new Idle(idle.shape(), 0) : rule)
                .toList());
    return TestStores.open(
        directory,
        options,
        new NoSyncFileSystem(new DiskFileSystem()),
        StoreListener.NONE,
        new Extensions(EntryKinds.STANDARD, BlockCodecs.STANDARD, impatient));
  }

  private static byte[] key(int number) {
    return String.format("key%09d", number).getBytes(UTF_8);
  }

  private static void put(Store store, int from, int to) {
    Random random = new Random(from);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = from; i < to; i++) {
      random.nextBytes(value);
      store.database().put(key(i), value);
    }
  }

  private static long bytes(Store store) {
    store.flush();
    store.awaitIdle();
    return store.database().forest().bytes();
  }

  private static int trees(Store store) {
    return store.database().forest().trees();
  }

  private static long whenIdle(Store store) {
    return store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.IDLE, 0L);
  }

  /** Merged into one, all would be dropped together by the next write. */
  @Test
  void anIdleStoreKeepsItsTrees() {
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      put(store, 0, 60_000);
      assertThat(bytes(store)).isBetween(3_900_000L, 4L << 20);
      assertThat(trees(store)).isGreaterThan(10);
      put(store, 60_000, 64_000);
      assertThat(bytes(store)).isBetween(3_900_000L, 4L << 20);
      assertThat(trees(store)).isGreaterThan(10);
      assertThat(store.database().get(key(0))).isNull();
      for (int i = 50_000; i < 64_000; i++) {
        assertThat(store.database().get(key(i))).isNotNull();
      }
    }
    directory = directory.resolve("other");
    try (Store store = openIdle(CompactionPolicy.splitForest())) {
      put(store, 0, 60_000);
      assertThat(bytes(store)).isGreaterThan(4 << 20);
      assertThat(whenIdle(store)).isPositive(); // so time without writes counts
    }
  }

  /** What is overwritten or deleted is not there again when that is dropped. */
  @Test
  void aKeyHasItsNewestValueOrNone() {
    Random random = new Random(17);
    Map<Integer, Integer> newest = new HashMap<>();
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      for (int i = 0; i < 60_000; i++) {
        int number = random.nextInt(30_000);
        if (random.nextInt(10) == 0) {
          store.database().delete(key(number));
          newest.put(number, -1);
        } else {
          byte[] value = new byte[VALUE_BYTES];
          value[0] = (byte) i;
          value[1] = (byte) (i >> 8);
          value[2] = (byte) (i >> 16);
          store.database().put(key(number), value);
          newest.put(number, i);
        }
      }
      assertThat(bytes(store)).isLessThanOrEqualTo(4L << 20);
      int missing = 0;
      for (Map.Entry<Integer, Integer> entry : newest.entrySet()) {
        byte[] found = store.database().get(key(entry.getKey()));
        if (found == null) {
          missing++;
        } else {
          int version = (found[0] & 255) | (found[1] & 255) << 8 | (found[2] & 255) << 16;
          assertThat(version).isEqualTo(entry.getValue());
        }
      }
      assertThat(missing).isBetween(1, newest.size() - 1);
    }
  }

  @Test
  void nobodyElseMergesOrDrops() {
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      put(store, 0, 10_000);
      long before = bytes(store);
      int trees = trees(store);
      store.database().compact();
      assertThat(bytes(store)).isEqualTo(before);
      assertThat(trees(store)).isEqualTo(trees).isGreaterThan(4);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
    }
  }
}
