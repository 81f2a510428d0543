package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static io.sifr.behaviour.SmallStores.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.WriteOptions;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cursor sees after a refresh, and what it lets go of. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CursorsAreRefreshedTest {
  private static final int KEYS = 800;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void toWhatWasWrittenSince(boolean isFlushed) {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 10, 1);
      try (Cursor cursor = database.cursor(KeyRange.atLeast(key(2)))) {
        assertThat(cursor.seek(key(7))).isTrue();
        database.put(key(1), value(1, 2));
        database.put(key(5), value(5, 2));
        database.delete(key(8));
        database.deleteRange(KeyRange.between(key(2), key(4)));
        database.put(key(11), value(11, 2));
        if (isFlushed) {
          store.flush();
        }
        assertThat(cursor.value()).isEqualTo(value(7, 1));
        byte[] left = cursor.key();

        cursor.refresh();
        assertThat(cursor.isValid()).isFalse();
        assertThatIllegalStateException().isThrownBy(cursor::key);
        assertThat(cursor.next()).as("as a new one it moves to the first").isTrue();
        assertThat(cursor.key()).isEqualTo(key(4));
        cursor.refresh();
        assertThat(cursor.previous()).as("or to the last").isTrue();
        assertThat(cursor.key()).isEqualTo(key(11));
        assertThat(cursor.next()).isFalse();
        cursor.refresh();
        assertThat(cursor.seek(left)).isTrue();
        assertThat(cursor.key()).isEqualTo(key(7));
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(9));
        cursor.refresh();
        List<String> values = new ArrayList<>();
        SmallStores.rest(cursor).values().forEach(value -> values.add(value.substring(0, 7)));
        assertThat(values)
            .containsExactly("v1 of 4", "v2 of 5", "v1 of 6", "v1 of 7", "v1 of 9", "v2 of 1");
      }
    }
  }

  /** It waits at the end for what is to come. */
  @Test
  void atTheEndToo() {
    try (Store store = SmallStores.open(directory);
        BufferCursor<ByteBuf> cursor = store.database().byteBufs().cursor(KeyRange.all())) {
      byte[] last = {};
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        store.database().put(key(i), value(i, 1));
        assertThat(cursor.next()).isEqualTo(false);
        cursor.refresh();
        for (boolean more = cursor.seek(last); more; more = cursor.next()) {
          ByteBuf copied = Unpooled.buffer();
          cursor.copyKey(copied);
          seen.add(copied.toString(UTF_8));
          last = bytes(copied.toString(UTF_8) + "\0");
        }
      }
      assertThat(seen).containsExactlyElementsOf(SmallStores.filled(0, 5, 1).keySet());
    }
  }

  @Test
  void whereValuesAreLargeOrExpire() {
    DatabaseOptions apart = DatabaseOptions.builder().separateValuesFrom(1 << 10).build();
    try (Store store = SmallStores.open(directory)) {
      Database database = store.createDatabase("large", apart);
      database.put(key(1), new byte[40_000]);
      store.flush();
      database.put(key(2), new byte[50_000]);
      try (Cursor cursor = database.cursor()) {
        assertThat(cursor.last()).isTrue();
        assertThat(cursor.value()).hasSize(50_000);
        for (int i = 0; i < 4; i++) {
          database.put(key(1), new byte[60_000 + i]);
          database.put(
              key(2), new byte[70_000 + i], WriteOptions.expiringAfter(Duration.ofHours(1)));
        }
        database.compact();
        assertThat(cursor.value()).hasSize(50_000);
        assertThat(cursor.expiresAt()).isNull();
        cursor.refresh();
        assertThat(cursor.previous()).isTrue();
        assertThat(cursor.value()).hasSize(70_003);
        assertThat(cursor.expiresAt()).isAfter(Instant.now());
        assertThat(cursor.previous()).isTrue();
        assertThat(cursor.value()).hasSize(60_003);
        cursor.refresh();
        database.compact();
        Waiting.until(
            "what the view kept is deleted",
            () ->
                SmallStores.files(directory, ".values").size()
                    == database.forest().valueFiles().size());
      }
    }
  }

  @Test
  void whereFiltersKnowPrefixes() {
    DatabaseOptions options = DatabaseOptions.builder().filterPrefix(KeyPrefix.ofLength(4)).build();
    try (Store store = SmallStores.open(directory)) {
      Database database = store.createDatabase("prefixes", options);
      SmallStores.fill(database, 0, KEYS, 1);
      store.flush();
      try (Cursor cursor = database.cursor(KeyRange.prefix(bytes("user1")))) {
        assertThat(cursor.next()).isFalse();
        database.put(bytes("user1/a"), bytes("a"));
        database.put(bytes("user2/b"), bytes("b"));
        database.compact();
        assertThat(cursor.previous()).isFalse();
        cursor.refresh();
        assertThat(SmallStores.rest(cursor)).containsOnlyKeys("user1/a");
        database.deleteRange(KeyRange.prefix(bytes("user")));
        store.flush();
        cursor.refresh();
        assertThat(cursor.next()).isFalse();
      }
    }
  }

  /** Old versions, and the files where it was. */
  @Test
  void andKeepNothingOfWhatTheySaw() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      database.compact();
      try (Cursor cursor = database.cursor()) {
        assertThat(cursor.next()).isTrue();
        SmallStores.fill(database, 0, KEYS, 2);
        database.compact();
        long withBoth = database.forest().bytes();
        cursor.refresh();
        database.compact();
        assertThat(database.forest().bytes()).isLessThan(withBoth * 2 / 3);
        Waiting.until(
            "all that the cursor kept is deleted",
            () -> SmallStores.files(directory, ".sst").size() == database.forest().ssts());
        assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(0, KEYS, 2));
      }
    }
  }

  @Test
  void unlessTheyReadAtASnapshot() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.put(key(1), value(1, 1));
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot));
          Transaction transaction = store.beginTransaction()) {
        assertThat(cursor.next()).isTrue();
        database.put(key(0), value(0, 1));
        assertThatIllegalStateException()
            .isThrownBy(cursor::refresh)
            .withMessage("the cursor reads at a snapshot, which stays as it is");
        assertThat(cursor.key()).as("it stays where it is").isEqualTo(key(1));
        assertThat(cursor.previous()).isFalse();
        try (Cursor ofTransaction = transaction.cursor(database)) {
          assertThat(ofTransaction.next()).isTrue();
          assertThatIllegalStateException()
              .isThrownBy(ofTransaction::refresh)
              .withMessage(
                  "the cursor reads at the snapshot of its transaction, which stays as it is");
          assertThat(ofTransaction.key()).isEqualTo(key(1));
        }
      }
    }
  }

  @Test
  void toTheSameIfTheStoreIsReadOnly() {
    try (Store store = SmallStores.open(directory)) {
      SmallStores.fill(store.database(), 0, 10, 1);
      store.sync();
      try (Store reader = Store.builder(directory).openReadOnly();
          Cursor cursor = reader.database().cursor()) {
        SmallStores.fill(store.database(), 0, 20, 2);
        cursor.refresh();
        assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(0, 10, 1));
      }
    }
  }

  @Test
  void onlyWhileTheirDatabaseIsThere() {
    Store store = SmallStores.open(directory);
    Database database = store.createDatabase("other", DatabaseOptions.DEFAULT);
    database.put(key(1), value(1, 1));
    Cursor dropped = database.cursor();
    Cursor closed = store.database().cursor();
    store.dropDatabase("other");
    assertThatIllegalStateException().isThrownBy(dropped::refresh).withMessageContaining("dropped");
    store.close();
    assertThatIllegalStateException()
        .isThrownBy(closed::refresh)
        .withMessage("the store is closed");
    dropped.close();
    closed.close();
  }

  /** Each batch sets all keys to its number, while what it writes is flushed and compacted. */
  @Test
  void besideWritesAndCompactions() throws Exception {
    int keys = 100;
    int batches = 400;
    try (Store store = SmallStores.open(directory);
        Cursor cursor = store.database().cursor()) {
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int version = 1; version <= batches; version++) {
                  WriteBatch batch = new WriteBatch();
                  for (int i = 0; i < keys; i++) {
                    batch.put(store.database(), key(i), value(0, version));
                  }
                  store.write(batch);
                }
              });
      int newest = 0;
      boolean isLast;
      do {
        isLast = writer.isDone();
        cursor.refresh();
        boolean isBackwards = newest % 2 == 0;
        List<String> values = new ArrayList<>();
        while (isBackwards ? cursor.previous() : cursor.next()) {
          values.add(String.valueOf(text(cursor.value())));
        }
        assertThat(values.size()).isIn(0, keys);
        if (!values.isEmpty()) {
          String first = values.get(0);
          assertThat(values).containsOnly(first);
          int version = Integer.parseInt(first.substring(1, first.indexOf(' ')));
          assertThat(version).isGreaterThanOrEqualTo(newest);
          newest = version;
        }
      } while (!isLast);
      writer.get();
      assertThat(newest).isEqualTo(batches);
    }
  }
}
