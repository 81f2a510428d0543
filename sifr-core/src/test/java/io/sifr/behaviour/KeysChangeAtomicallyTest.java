package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.testing.Threads;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operations that read and write one key: nothing comes between the two. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeysChangeAtomicallyTest {
  private static final byte[] A = bytes("a");
  private static final int THREADS = 8;

  @TempDir Path directory;

  /** Where a value is found: in memory, in an SST, nowhere any more. */
  private enum Place {
    MEMORY,
    SST
  }

  private static void moveTo(Place place, Store store) {
    if (place == Place.SST) {
      store.flush();
    }
  }

  @Test
  void aKeyIsPutOnlyIfItHasNoValue() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (Place place : Place.values()) {
        assertThat(database.putIfAbsent(A, bytes("1"))).isNull();
        moveTo(place, store);
        assertThat(text(database.putIfAbsent(A, bytes("2")))).isEqualTo("1");
        assertThat(text(database.get(A))).isEqualTo("1");
        database.delete(A);
        moveTo(place, store);
        assertThat(database.putIfAbsent(A, bytes("3"), WriteOptions.SYNC)).isNull();
        assertThat(text(database.get(A))).isEqualTo("3");
        database.deleteRange(KeyRange.all());
        moveTo(place, store);
        assertThat(database.putIfAbsent(A, bytes(""), WriteOptions.UNLOGGED)).isNull();
        assertThat(text(database.putIfAbsent(A, bytes("4")))).isEmpty();
        database.delete(A);
      }
    }
  }

  @Test
  void aKeyIsSetOnlyIfItHasTheExpectedValue() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (Place place : Place.values()) {
        assertThat(database.compareAndSet(A, bytes("1"), bytes("2"))).isFalse();
        assertThat(database.compareAndSet(A, bytes("1"), null)).isFalse();
        assertThat(database.compareAndSet(A, null, null)).isTrue();
        assertThat(database.contains(A)).isFalse();
        assertThat(database.compareAndSet(A, null, bytes("1"))).isTrue();
        moveTo(place, store);
        assertThat(database.compareAndSet(A, null, bytes("2"))).isFalse();
        assertThat(database.compareAndSet(A, null, null)).isFalse();
        assertThat(database.compareAndSet(A, bytes("0"), bytes("2"))).isFalse();
        assertThat(database.compareAndSet(A, bytes("0"), null)).isFalse();
        assertThat(text(database.get(A))).isEqualTo("1");
        assertThat(database.compareAndSet(A, bytes("1"), bytes("2"), WriteOptions.SYNC)).isTrue();
        assertThat(text(database.get(A))).isEqualTo("2");
        moveTo(place, store);
        assertThat(database.compareAndSet(A, bytes("2"), null)).isTrue();
        assertThat(database.contains(A)).isFalse();
      }
    }
  }

  @Test
  void theValueBeforeIsReturned() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (Place place : Place.values()) {
        assertThat(database.getAndDelete(A)).isNull();
        assertThat(database.getAndPut(A, bytes("1"))).isNull();
        moveTo(place, store);
        assertThat(text(database.getAndPut(A, bytes("2"), WriteOptions.UNLOGGED))).isEqualTo("1");
        moveTo(place, store);
        assertThat(text(database.getAndDelete(A, WriteOptions.SYNC))).isEqualTo("2");
        assertThat(database.contains(A)).isFalse();
      }
    }
  }

  @Test
  void whatTheyWriteSurvivesACrash(@TempDir Path copied) throws Exception {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.putIfAbsent(A, bytes("1"));
      assertThat(database.compareAndSet(A, bytes("1"), bytes("2"))).isTrue();
      assertThat(database.getAndPut(bytes("b"), bytes("3"))).isNull();
      assertThat(text(database.getAndDelete(bytes("b")))).isEqualTo("3");
      SmallStores.copy(directory, copied.resolve("store"));
    }
    try (Store store = SmallStores.open(copied.resolve("store"))) {
      assertThat(text(store.database().get(A))).isEqualTo("2");
      assertThat(store.database().contains(bytes("b"))).isFalse();
    }
  }

  /** Others fill write buffer after write buffer, so the counter is flushed again and again. */
  @Test
  void noneOfManyIncrementsIsLost() {
    int increments = 400;
    StoreOptions options = SmallStores.options().writeBufferBytes(8 << 10).build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      AtomicInteger missed = new AtomicInteger();
      Threads.run(
          THREADS,
          thread -> {
            for (int i = 0; i < increments; i++) {
              database.put(key(thread * increments + i), value(i, thread));
              while (!increment(database)) {
                missed.incrementAndGet();
              }
            }
          });
      assertThat(text(database.get(A))).isEqualTo(String.valueOf(THREADS * increments));
    }
  }

  private static boolean increment(Database database) {
    String before = text(database.get(A));
    int next = before == null ? 1 : Integer.parseInt(before) + 1;
    return database.compareAndSet(
        A, before == null ? null : bytes(before), bytes(String.valueOf(next)));
  }

  @Test
  void ofThreadsThatTakeAKeyOneGetsIt() {
    int keys = 600;
    StoreOptions options = SmallStores.options().writeBufferBytes(8 << 10).build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      Set<String> put = ConcurrentHashMap.newKeySet();
      Set<String> taken = ConcurrentHashMap.newKeySet();
      AtomicInteger doubly = new AtomicInteger();
      Threads.run(
          THREADS,
          thread -> {
            for (int i = 0; i < keys; i++) {
              byte[] mine = value(i, thread);
              if (database.putIfAbsent(key(i), mine) == null) {
                put.add(i + " by " + thread);
              }
              byte[] got = database.getAndDelete(key(i / 2));
              if (got != null && !taken.add(String.valueOf(text(got)))) {
                doubly.incrementAndGet();
              }
            }
          });
      // A thread puts a key at most once, so no value is there twice.
      assertThat(doubly).hasValue(0);
      SmallStores.content(database).values().forEach(taken::add);
      assertThat(taken).hasSameSizeAs(put);
    }
  }

  /** Each value is returned to exactly one: to who replaces it, or it is the last. */
  @Test
  void whoReplacesAValueReceivesIt() {
    int rounds = 500;
    StoreOptions options = SmallStores.options().writeBufferBytes(8 << 10).build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      Set<String> replaced = ConcurrentHashMap.newKeySet();
      AtomicInteger nothing = new AtomicInteger();
      Threads.run(
          THREADS,
          thread -> {
            for (int i = 0; i < rounds; i++) {
              byte[] before = database.getAndPut(A, value(i, thread));
              if (before == null) {
                nothing.incrementAndGet();
              } else {
                assertThat(replaced.add(text(before))).isTrue();
              }
            }
          });
      assertThat(nothing).hasValue(1);
      assertThat(replaced).hasSize(THREADS * rounds - 1).doesNotContain(text(database.get(A)));
    }
  }
}
