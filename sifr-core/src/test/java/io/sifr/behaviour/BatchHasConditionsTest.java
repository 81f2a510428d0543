package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.error.ConflictException;
import io.sifr.testing.Threads;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BatchHasConditionsTest {
  private static final byte[] A = bytes("a");
  private static final byte[] B = bytes("b");
  private static final byte[] C = bytes("c");
  private static final KeyRange A_TO_C = KeyRange.between(A, C);

  @TempDir Path directory;

  /** The batch puts a key of its own, so that it shows whether something was written. */
  private static void refused(Store store, WriteBatch batch, byte[] key, String why) {
    batch.put(store.database(), bytes("written"), bytes("yes"));
    assertThatThrownBy(() -> store.write(batch))
        .isInstanceOfSatisfying(
            ConflictException.class,
            conflict -> {
              assertThat(conflict.database()).isEqualTo("default");
              assertThat(conflict.key()).isEqualTo(key);
            })
        .hasMessageContaining(why);
    assertThat(store.database().contains(bytes("written"))).isFalse();
  }

  private static void accepted(Store store, WriteBatch batch) {
    batch.put(store.database(), bytes("written"), bytes("yes"));
    store.write(batch);
    assertThat(store.database().getAndDelete(bytes("written"))).isNotNull();
  }

  @Test
  void aKeyHasAValueOrNone() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.put(A, bytes("1"));
      accepted(store, new WriteBatch().requireValue(database, A, bytes("1")));
      accepted(store, new WriteBatch().requireAbsent(database, B));
      store.flush();
      accepted(store, new WriteBatch().requireValue(database, A, bytes("1")));
      refused(store, new WriteBatch().requireValue(database, A, bytes("2")), A, "another value");
      refused(store, new WriteBatch().requireAbsent(database, A), A, "required to have none");
      refused(store, new WriteBatch().requireValue(database, B, bytes("")), B, "has no value");
      refused(
          store,
          new WriteBatch().requireValue(database, A, bytes("1")).requireValue(database, B, A),
          B,
          "\"b\" of database default has no value");
    }
  }

  /** What the batch itself writes does not matter. */
  @Test
  void theyAreOfTheStateBeforeTheBatch() {
    try (Store store = SmallStores.open(directory);
        Snapshot snapshot = store.snapshot()) {
      Database database = store.database();
      WriteBatch batch =
          new WriteBatch()
              .put(database, A, A)
              .requireAbsent(database, A)
              .requireUnchanged(database, A, snapshot)
              .requireUnchanged(database, KeyRange.all(), snapshot);
      assertThat(batch.size()).isEqualTo(1);
      store.write(batch);
      assertThat(database.get(A)).isEqualTo(A);
      assertThatThrownBy(() -> store.write(batch)).isInstanceOf(ConflictException.class);
      batch.clear();
      store.write(batch.put(database, B, B)); // without them
      assertThat(database.get(B)).isEqualTo(B);
    }
  }

  @Test
  void withoutOperationsTheyAreCheckedAsWell() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      store.write(new WriteBatch().requireAbsent(database, A));
      database.put(A, A);
      assertThatThrownBy(() -> store.write(new WriteBatch().requireAbsent(database, A)))
          .isInstanceOf(ConflictException.class);
    }
  }

  @Test
  void acrossDatabases() {
    try (Store store = SmallStores.open(directory)) {
      Database one = store.database();
      Database two = store.openOrCreateDatabase("two");
      two.put(A, bytes("2"));
      WriteBatch batch = new WriteBatch().put(one, A, A).requireValue(two, A, bytes("2"));
      store.write(batch);
      assertThat(one.getAndDelete(A)).isEqualTo(A);
      two.delete(A);
      assertThatThrownBy(() -> store.write(batch))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("of database two");
      assertThat(one.contains(A)).isFalse();
    }
  }

  /** Ways to change a key, some of which leave no trace of an older value. */
  private static final List<Consumer<Database>> CHANGES =
      List.of(
          database -> database.put(B, bytes("2")),
          database -> database.put(B, bytes("1")), // the value it had
          database -> database.delete(B),
          database -> database.deleteRange(A_TO_C),
          database -> database.deleteRange(KeyRange.all()),
          database -> {
            database.put(B, bytes("2"));
            database.deleteRange(A_TO_C);
          },
          database -> {
            database.put(B, bytes("2"));
            database.delete(B);
          });

  /** What may happen to what was changed before it is asked for. */
  private static final List<Consumer<Store>> AFTERMATHS =
      List.of(
          store -> {},
          Store::flush,
          store -> store.database().compact(),
          store -> {
            store.flush();
            store.database().put(bytes("z"), bytes("z"));
            store.flush();
            store.database().compact(KeyRange.lessThan(C));
            store.awaitIdle();
          });

  @Test
  void aKeyOrARangeIsUnchangedSinceASnapshot(@TempDir Path stores) {
    int number = 0;
    for (boolean existed : new boolean[] {false, true}) {
      for (boolean wasFlushed : new boolean[] {false, true}) {
        for (Consumer<Store> aftermath : AFTERMATHS) {
          for (Consumer<Database> change : CHANGES) {
            try (Store store = SmallStores.open(stores.resolve("store-" + number++))) {
              Database database = store.database();
              if (existed) {
                database.put(B, bytes("1"));
              }
              if (wasFlushed) {
                store.flush();
              }
              try (Snapshot snapshot = store.snapshot()) {
                database.put(bytes("other"), bytes("1"));
                aftermath.accept(store);
                accepted(store, new WriteBatch().requireUnchanged(database, B, snapshot));
                accepted(store, new WriteBatch().requireUnchanged(database, A_TO_C, snapshot));
                change.accept(database);
                aftermath.accept(store);
                refused(store, new WriteBatch().requireUnchanged(database, B, snapshot), B, "");
                assertThatThrownBy(
                        () ->
                            store.write(
                                new WriteBatch().requireUnchanged(database, A_TO_C, snapshot)))
                    .as("store %d", number)
                    .isInstanceOfSatisfying(
                        ConflictException.class,
                        conflict -> assertThat(A_TO_C.contains(conflict.key())).isTrue());
              }
              try (Snapshot later = store.snapshot()) {
                accepted(store, new WriteBatch().requireUnchanged(database, B, later));
                accepted(store, new WriteBatch().requireUnchanged(database, A_TO_C, later));
              }
            }
          }
        }
      }
    }
  }

  @Test
  void aRangeEndsWhereItEnds() {
    try (Store store = SmallStores.open(directory);
        Snapshot snapshot = store.snapshot()) {
      Database database = store.database();
      database.put(C, C);
      database.deleteRange(KeyRange.atLeast(C));
      for (int i = 0; i < 2; i++) {
        accepted(store, new WriteBatch().requireUnchanged(database, A_TO_C, snapshot));
        accepted(
            store, new WriteBatch().requireUnchanged(database, KeyRange.lessThan(C), snapshot));
        accepted(
            store, new WriteBatch().requireUnchanged(database, KeyRange.between(C, A), snapshot));
        refused(
            store,
            new WriteBatch().requireUnchanged(database, KeyRange.between(C, bytes("d")), snapshot),
            C,
            "");
        store.flush();
      }
    }
  }

  @Test
  void aSnapshotMustBeOpenAndOfTheStore(@TempDir Path other) {
    try (Store store = SmallStores.open(directory);
        Store stranger = SmallStores.open(other)) {
      Snapshot snapshot = store.snapshot();
      WriteBatch batch = new WriteBatch().requireUnchanged(store.database(), A, snapshot);
      assertThatThrownBy(() -> new WriteBatch().requireUnchanged(stranger.database(), A, snapshot))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      assertThatThrownBy(() -> stranger.write(batch))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      snapshot.close();
      assertThatThrownBy(() -> store.write(batch))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the snapshot is closed");
    }
  }

  @Test
  void ofADroppedDatabaseAreRefused() {
    try (Store store = SmallStores.open(directory)) {
      Database dropped = store.openOrCreateDatabase("dropped");
      WriteBatch batch = new WriteBatch().put(store.database(), A, A).requireAbsent(dropped, A);
      store.dropDatabase("dropped");
      assertThatThrownBy(() -> store.write(batch))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("dropped");
      assertThat(store.database().contains(A)).isFalse();
    }
  }

  /** Each moves one unit between two accounts, if both have what was read. */
  @Test
  void transfersOfManyThreadsLoseNothing() {
    int accounts = 6;
    StoreOptions options = SmallStores.options().writeBufferBytes(8 << 10).build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      for (int i = 0; i < accounts; i++) {
        database.put(key(i), bytes("100"));
      }
      Threads.run(
          8,
          thread -> {
            for (int done = 0; done < 300; ) {
              int from = (thread + done) % accounts;
              byte[] source = key(from);
              byte[] target = key((from + 1 + done % (accounts - 1)) % accounts);
              byte[] inSource = Objects.requireNonNull(database.get(source));
              byte[] inTarget = Objects.requireNonNull(database.get(target));
              try {
                store.write(
                    new WriteBatch()
                        .requireValue(database, source, inSource)
                        .requireValue(database, target, inTarget)
                        .put(database, source, plus(inSource, -1))
                        .put(database, target, plus(inTarget, 1)));
                done++;
              } catch (ConflictException e) {
                database.put(bytes("filler" + thread), new byte[500]); // and flushes go on
              }
            }
          });
      int sum = 0;
      for (int i = 0; i < accounts; i++) {
        sum += Integer.parseInt(String.valueOf(text(database.get(key(i)))));
      }
      assertThat(sum).isEqualTo(accounts * 100);
    }
  }

  private static byte[] plus(byte[] amount, int more) {
    return bytes(String.valueOf(Integer.parseInt(String.valueOf(text(amount))) + more));
  }
}
