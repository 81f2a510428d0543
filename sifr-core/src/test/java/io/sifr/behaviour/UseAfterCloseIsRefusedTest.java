package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UseAfterCloseIsRefusedTest {
  private static final byte[] KEY = bytes("k");
  private static final ByteBuf BUFFER = Unpooled.wrappedBuffer(KEY);

  @TempDir Path directory;

  private static void assertClosed(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(what + " is closed");
  }

  @Test
  void ofTheStoreAndItsDatabases() {
    Store store = SmallStores.open(directory);
    Database database = store.database();
    database.put(KEY, KEY);
    store.close();
    store.close();
    assertClosed("the store", () -> database.put(KEY, KEY));
    assertClosed("the store", () -> database.byteBufs().put(BUFFER, BUFFER));
    assertClosed("the store", () -> database.delete(KEY));
    assertClosed("the store", () -> database.putIfAbsent(KEY, KEY));
    assertClosed("the store", () -> database.compareAndSet(KEY, null, KEY));
    assertClosed("the store", () -> database.getAndPut(KEY, KEY));
    assertClosed("the store", () -> database.getAndDelete(KEY));
    assertClosed("the store", () -> store.write(new WriteBatch().requireAbsent(database, KEY)));
    assertClosed("the store", store::beginTransaction);
    assertClosed("the store", () -> database.byteBufs().delete(BUFFER, WriteOptions.SYNC));
    assertClosed("the store", () -> database.byteBufs().get(BUFFER, Unpooled.buffer()));
    assertClosed("the store", () -> database.get(KEY));
    assertClosed("the store", () -> database.contains(KEY));
    assertClosed("the store", () -> database.multiGet(List.of(KEY)));
    assertThat(database.getAsync(KEY))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class)
        .withMessageContaining("the store is closed");
    assertClosed("the store", () -> database.byteBufs().read(BUFFER, value -> {}));
    assertClosed("the store", database::cursor);
    assertClosed("the store", database::compact);
    assertClosed("the store", database::forest);
    assertClosed("the store", () -> store.database("default"));
    assertClosed("the store", () -> store.createDatabase("x", DatabaseOptions.DEFAULT));
    assertClosed("the store", () -> store.openOrCreateDatabase("x"));
    assertClosed("the store", () -> store.dropDatabase("x"));
    assertClosed("the store", store::databaseNames);
    assertClosed("the store", () -> store.write(new WriteBatch().put(database, KEY, KEY)));
    assertClosed("the store", () -> store.write(new WriteBatch()));
    assertClosed("the store", store::snapshot);
    assertClosed("the store", store::sync);
    assertClosed("the store", store::flush);
    assertClosed("the store", store::awaitIdle);
    assertClosed("the store", store::statistics);
  }

  @Test
  void butWhatNeedsNoOpenStoreIsToldAllTheSame() throws IOException {
    StoreOptions options = SmallStores.options().build();
    Store store = SmallStores.open(directory, options);
    store.close();
    assertThat(store.directory()).isEqualTo(directory.toRealPath());
    assertThat(store.options()).isEqualTo(options);
    assertThat(store.database().name()).isEqualTo(Store.DEFAULT_DATABASE);
    assertThat(store).hasToString("Store[" + directory.toRealPath() + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"store cursor snapshot", "snapshot cursor store", "cursor store snapshot"})
  void inAnyOrderOfClosing(String order) {
    Store store = SmallStores.open(directory);
    Database database = store.database();
    SmallStores.fill(database, 0, 500, 1);
    store.flush();
    Snapshot snapshot = store.snapshot();
    Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot));
    assertThat(cursor.next()).isTrue();
    Map<String, AutoCloseable> all = Map.of("store", store, "cursor", cursor, "snapshot", snapshot);
    for (String name : Splitter.on(' ').split(order)) {
      AutoCloseable next = all.get(name);
      assertThat(next).isNotNull();
      close(next);
      close(next);
      check(name, database, cursor, snapshot);
    }
    assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 500, 1));
    }
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void check(String closed, Database database, Cursor cursor, Snapshot snapshot) {
    switch (closed) {
      case "cursor" -> {
        assertClosed("the cursor", cursor::next);
        assertClosed("the cursor", cursor::previous);
        assertClosed("the cursor", cursor::first);
        assertClosed("the cursor", cursor::last);
        assertClosed("the cursor", () -> cursor.seek(KEY));
        assertClosed("the cursor", cursor::key);
        assertClosed("the cursor", cursor::value);
        assertClosed("the cursor", cursor::valueLength);
        assertClosed("the cursor", cursor::isValid);
        assertClosed("the cursor", cursor::refresh);
      }
      case "snapshot" -> {
        assertClosed("the snapshot", () -> database.get(KEY, ReadOptions.at(snapshot)));
        assertClosed("the snapshot", () -> database.contains(KEY, ReadOptions.at(snapshot)));
        assertClosed(
            "the snapshot", () -> database.cursor(KeyRange.all(), ReadOptions.at(snapshot)));
      }
      default ->
          assertThatThrownBy(() -> database.get(KEY)).hasMessageContaining("store is closed");
    }
  }
}
