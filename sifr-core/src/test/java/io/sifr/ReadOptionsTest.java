package io.sifr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.config.SearchScheme;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadOptionsTest {
  private static final byte[] KEY = {1};
  private static final ByteBuf BUFFER = Unpooled.wrappedBuffer(KEY);

  @Test
  void theDefaultIsThePresentSearchedAsTheStoreSays() {
    assertThat(ReadOptions.DEFAULT.snapshot()).isNull();
    assertThat(ReadOptions.DEFAULT.searchScheme()).isNull();
    assertThat(ReadOptions.DEFAULT).hasToString("snapshot=none searchScheme=the store's");
  }

  @Test
  void theSameOptionsServeAnyRead(@TempDir Path directory) {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      Database other = store.openOrCreateDatabase("other");
      database.put(KEY, new byte[] {10});
      try (Snapshot snapshot = store.snapshot()) {
        ReadOptions options =
            ReadOptions.builder().snapshot(snapshot).searchScheme(SearchScheme.SERIAL).build();
        assertThat(options.snapshot()).isSameAs(snapshot);
        assertThat(options.searchScheme()).isEqualTo(SearchScheme.SERIAL);
        assertThat(options.toString()).contains("snapshot=Snapshot[", "searchScheme=SERIAL");
        database.put(KEY, new byte[] {20});
        other.put(KEY, new byte[] {30});

        for (int i = 0; i < 2; i++) {
          assertThat(database.get(KEY, options)).containsExactly(10);
          assertThat(other.get(KEY, options)).isNull();
          assertThat(other.contains(KEY, options)).isFalse();
          assertThat(database.getAsync(KEY, options).join()).containsExactly(10);
          assertThat(database.multiGet(List.of(KEY), options).get(0)).containsExactly(10);
          try (Cursor cursor = database.cursor(KeyRange.all(), options)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.value()).containsExactly(10);
          }
        }
      }
    }
  }

  @Test
  void aSnapshotOfAnotherStoreOrAClosedOneIsRefused(@TempDir Path directory) {
    try (Store store = Store.open(directory.resolve("one"));
        Store another = Store.open(directory.resolve("another"));
        Snapshot foreign = another.snapshot()) {
      Database database = store.database();
      database.put(KEY, KEY);
      another.database().put(KEY, KEY);
      for (ThrowingCallable read : reads(database, ReadOptions.at(foreign))) {
        assertThatThrownBy(read)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("the snapshot is of another store");
      }
      Snapshot closed = store.snapshot();
      ReadOptions options = ReadOptions.at(closed);
      closed.close();
      for (ThrowingCallable read : reads(database, options)) {
        assertThatThrownBy(read)
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("the snapshot is closed");
      }
    }
  }

  private static List<ThrowingCallable> reads(Database database, ReadOptions options) {
    return List.of(
        () -> database.get(KEY, options),
        () -> database.byteBufs().get(BUFFER, Unpooled.buffer(), options),
        () -> database.byteBufs().read(BUFFER, value -> {}, options),
        () -> database.contains(KEY, options),
        () -> database.multiGet(List.of(KEY), options),
        () -> database.getAsync(KEY, options),
        () -> database.cursor(KeyRange.all(), options).close());
  }
}
