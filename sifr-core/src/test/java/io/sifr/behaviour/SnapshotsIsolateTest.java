package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sifr.BufferView;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotsIsolateTest {
  @TempDir Path directory;

  private static Map<String, String> contentAt(Database database, Snapshot snapshot) {
    try (Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot))) {
      return SmallStores.rest(cursor);
    }
  }

  private static void check(Database database, Snapshot snapshot, int version) {
    assertThat(contentAt(database, snapshot)).isEqualTo(SmallStores.filled(0, 200, version));
    assertThat(database.get(key(7), ReadOptions.at(snapshot))).isEqualTo(value(7, version));
    assertThat(database.contains(key(500), ReadOptions.at(snapshot))).isFalse();
    ByteBuf target = Unpooled.buffer();
    ByteBuf key = Unpooled.wrappedBuffer(key(7));
    BufferView<ByteBuf> buffers = database.byteBufs();
    assertThat(buffers.get(key, target, ReadOptions.at(snapshot)))
        .isEqualTo(value(7, version).length);
    assertThat(ByteBufUtil.getBytes(target)).isEqualTo(value(7, version));
    assertThat(
            buffers.read(
                key,
                seen -> assertThat(ByteBufUtil.getBytes(seen)).isEqualTo(value(7, version)),
                ReadOptions.at(snapshot)))
        .isTrue();
  }

  @Test
  void fromLaterWritesFlushesAndMerges() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 200, 1);
      Snapshot first = store.snapshot();
      SmallStores.fill(database, 0, 200, 2);
      store.flush();
      Snapshot second = store.snapshot();
      for (int i = 0; i < 200; i++) {
        database.delete(key(i));
      }
      database.put(key(500), value(500, 3));
      check(database, first, 1);
      check(database, second, 2);
      database.compact();
      check(database, first, 1);
      check(database, second, 2);
      first.close();
      database.compact();
      check(database, second, 2);
      assertThatThrownBy(() -> database.get(key(7), ReadOptions.at(first)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the snapshot is closed");
      second.close();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(500, 501, 3));
      database.compact();
      assertThat(database.forest().stages().stream().flatMap(s -> s.trees().stream()))
          .singleElement()
          .satisfies(tree -> assertThat(tree.entries()).isEqualTo(1));
    }
  }

  @Test
  void aCursorOutlivesItsSnapshot() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 200, 1);
      Snapshot snapshot = store.snapshot();
      SmallStores.fill(database, 0, 200, 2);
      try (Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot))) {
        snapshot.close();
        database.compact();
        assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(0, 200, 1));
      }
    }
  }

  @Test
  void aSnapshotOfAnotherStoreIsRefused(@TempDir Path other) {
    try (Store store = SmallStores.open(directory);
        Store stranger = SmallStores.open(other);
        Snapshot snapshot = stranger.snapshot()) {
      assertThatThrownBy(() -> store.database().get(key(1), ReadOptions.at(snapshot)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
    }
  }
}
