package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DroppedDatabaseIsGoneTest {
  @TempDir Path directory;

  private static void assertDropped(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("database gone was dropped");
  }

  @Test
  void itsHandlesAndCursorsSaySoAndItsFilesGo() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.openOrCreateDatabase("gone");
      SmallStores.fill(database, 0, 500, 1);
      store.flush();
      store.awaitIdle();
      Cursor cursor = database.cursor();
      assertThat(cursor.next()).isTrue();
      store.dropDatabase("gone");
      assertThat(store.databaseNames()).containsExactly("default");
      assertDropped(() -> database.get(key(1)));
      assertDropped(() -> database.multiGet(List.of(key(1))));
      assertThat(database.getAsync(key(1)).handle((value, e) -> e).join())
          .hasMessage("database gone was dropped");
      assertDropped(() -> database.put(key(1), key(1)));
      assertDropped(() -> database.delete(key(1)));
      assertDropped(() -> store.write(new WriteBatch().delete(database, key(1))));
      assertDropped(database::cursor);
      assertDropped(database::compact);
      assertDropped(database::forest);
      assertDropped(cursor::next);
      assertDropped(cursor::value);
      assertDropped(cursor::first);
      cursor.close();
      assertThatThrownBy(() -> store.dropDatabase("gone"))
          .isInstanceOf(IllegalArgumentException.class);

      Database again = store.openOrCreateDatabase("gone");
      assertThat(SmallStores.content(again)).isEmpty();
      assertDropped(() -> database.get(key(1)));
      again.put(key(1), key(2));
      store.flush();
      Waiting.until("files are deleted", () -> SmallStores.files(directory, ".sst").size() == 1);
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(store.database("gone").get(key(1))).isEqualTo(key(2));
      assertThat(SmallStores.content(store.database("gone"))).hasSize(1);
    }
  }

  @Test
  void whatTheLogHoldsOfItStaysGoneAfterACrash() throws java.io.IOException {
    Path crashed = directory.resolve("crashed");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      Database database = store.openOrCreateDatabase("gone");
      store.write(
          new WriteBatch().put(database, key(1), key(1)).put(store.database(), key(2), key(2)));
      store.dropDatabase("gone");
      var unused = store.openOrCreateDatabase("gone");
      SmallStores.copy(store.directory(), crashed);
    }
    try (Store store = SmallStores.open(crashed)) {
      assertThat(SmallStores.content(store.database("gone"))).isEmpty();
      assertThat(SmallStores.content(store.database())).hasSize(1);
    }
  }
}
