package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import io.netty.buffer.Unpooled;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a range delete hides, wherever it and what it deletes lie. */
class DeletedRangeIsGoneTest {
  private static final StoreOptions NOTHING_STAYS_IN_THE_LOG =
      StoreOptions.builder().keptLogBytes(0).build();

  @TempDir Path directory;

  /** What becomes of a write before the next one. */
  enum Then {
    IT_STAYS_IN_MEMORY {
      @Override
      void to(Store store) {}
    },
    IT_IS_FLUSHED {
      @Override
      void to(Store store) {
        store.flush();
      }
    },
    IT_IS_COMPACTED {
      @Override
      void to(Store store) {
        store.database().compact();
      }
    };

    abstract void to(Store store);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static void put(Database database, String keys) {
    for (String key : Splitter.on(' ').split(keys)) {
      database.put(bytes(key), bytes("value of " + key));
    }
  }

  private static KeyRange between(String from, String to) {
    return KeyRange.between(bytes(from), bytes(to));
  }

  /** The keys a database holds, and that all ways to read agree on them. */
  private static String keys(Database database, ReadOptions options) {
    List<String> forward = new ArrayList<>();
    List<String> backward = new ArrayList<>();
    try (Cursor cursor = database.cursor(KeyRange.all(), options)) {
      while (cursor.next()) {
        forward.add(new String(cursor.key(), UTF_8));
        assertThat(new String(cursor.value(), UTF_8)).endsWith(forward.get(forward.size() - 1));
      }
      while (cursor.previous()) {
        backward.add(new String(cursor.key(), UTF_8));
      }
    }
    Collections.reverse(backward);
    assertThat(backward).isEqualTo(forward);
    for (char letter = 'a'; letter <= 'j'; letter++) {
      byte[] key = {(byte) letter};
      boolean isThere = forward.contains(String.valueOf(letter));
      assertThat(database.contains(key, options)).as("%s", letter).isEqualTo(isThere);
      assertThat(database.get(key, options) != null).isEqualTo(isThere);
      assertThat(database.byteBufs().read(Unpooled.wrappedBuffer(key), value -> {}, options))
          .isEqualTo(isThere);
      assertThat(database.getAsync(key, options).join() != null).isEqualTo(isThere);
      assertThat(database.multiGet(List.of(key), options).get(0) != null).isEqualTo(isThere);
      for (SearchScheme scheme : SearchScheme.values()) {
        ReadOptions.Builder searched = ReadOptions.builder().searchScheme(scheme);
        if (options == ReadOptions.DEFAULT) {
          assertThat(database.contains(key, searched.build())).as("%s", scheme).isEqualTo(isThere);
        }
      }
    }
    return String.join(" ", forward);
  }

  private static String keys(Database database) {
    return keys(database, ReadOptions.DEFAULT);
  }

  @ParameterizedTest
  @EnumSource
  void keysFromTheFirstToTheLastAreGone(Then then) {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      put(database, "a b c d e f g h");
      then.to(store);
      database.deleteRange(between("c", "f"));
      then.to(store);
      assertThat(keys(database)).isEqualTo("a b f g h");

      put(database, "d");
      then.to(store);
      assertThat(keys(database)).isEqualTo("a b d f g h");

      database.deleteRange(KeyRange.lessThan(bytes("b")));
      then.to(store);
      database.deleteRange(KeyRange.atLeast(bytes("h")), WriteOptions.SYNC);
      then.to(store);
      assertThat(keys(database)).isEqualTo("b d f g");

      database.deleteRange(KeyRange.prefix(bytes("f")));
      database.put(bytes("fa"), bytes("fa"));
      then.to(store);
      assertThat(keys(database)).isEqualTo("b d fa g");

      database.deleteRange(KeyRange.all());
      then.to(store);
      assertThat(keys(database)).isEmpty();
      put(database, "e");
      assertThat(keys(database)).isEqualTo("e");
    }
  }

  @ParameterizedTest
  @EnumSource
  void withinABatchTheOrderCounts(Then then) {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      Database other = store.openOrCreateDatabase("other");
      put(database, "a b c d");
      put(other, "a b c d");
      then.to(store);
      store.write(
          new WriteBatch()
              .put(database, bytes("e"), bytes("e"))
              .put(database, bytes("b"), bytes("b"))
              .deleteRange(database, between("b", "f"))
              .put(database, bytes("c"), bytes("c"))
              .deleteRange(other, between("d", "z"))
              .deleteRange(database, between("a", "b"))
              .deleteRange(database, between("f", "f")) // none
              .put(database, bytes("a"), bytes("a")));
      then.to(store);

      assertThat(keys(database)).isEqualTo("a c");
      assertThat(keys(other)).isEqualTo("a b c");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoBeganToReadBeforeSeesEverything(Then then) {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      put(database, "a b c");
      try (Snapshot all = store.snapshot();
          Cursor cursor = database.cursor()) {
        then.to(store);
        assertThat(cursor.next()).isTrue();
        database.deleteRange(KeyRange.all());
        then.to(store);
        put(database, "b");
        try (Snapshot one = store.snapshot()) {
          database.deleteRange(between("a", "c"));
          then.to(store);

          assertThat(keys(database, ReadOptions.at(all))).isEqualTo("a b c");
          assertThat(keys(database, ReadOptions.at(one))).isEqualTo("b");
          assertThat(keys(database)).isEmpty();
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.key()).isEqualTo(bytes("b"));
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.next()).isFalse();
        }
      }
      then.to(store);
      assertThat(keys(database)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void itIsStillGoneWhenTheStoreIsOpenedAgain(Then then) {
    for (StoreOptions options : List.of(StoreOptions.DEFAULT, NOTHING_STAYS_IN_THE_LOG)) {
      Path store = directory.resolve("kept-" + options.keptLogBytes());
      try (Store opened = Store.open(store, options)) {
        put(opened.database(), "a b c d e");
        then.to(opened);
        opened.database().deleteRange(between("b", "d"));
        then.to(opened);
        opened.database().deleteRange(between("c", "e"));
        put(opened.database(), "c");
      }
      for (int i = 0; i < 2; i++) {
        try (Store opened = Store.open(store, options)) {
          assertThat(keys(opened.database())).isEqualTo("a c e");
        }
      }
    }
  }

  /** None of them sees the others while the batch is written, which costs little more than one. */
  @Test
  void aBatchMayDeleteManyRanges() {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      put(database, "a b c d");
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 20_000; i++) {
        batch.deleteRange(database, between(String.format("b%05d", i), i % 2 == 0 ? "c0" : "c1"));
      }
      batch.deleteRange(database, between("b", "b0"));
      store.write(batch);

      assertThat(keys(database)).isEqualTo("a d");
      store.flush();
      assertThat(keys(database)).isEqualTo("a d");
    }
  }

  @Test
  void itCountsAsAWriteOfItsBounds() {
    try (Store store = Store.open(directory)) {
      long before = store.statistics().get(Metric.USER_BYTES);
      store.database().deleteRange(between("from", "to"));
      assertThat(store.statistics().get(Metric.USER_BYTES) - before).isEqualTo(6);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // nulls are what is tested
  void badArgumentsAreRefusedByName() {
    Store store = Store.open(directory);
    Database database = store.database();
    Database dropped = store.openOrCreateDatabase("dropped");
    store.dropDatabase("dropped");
    WriteBatch batch = new WriteBatch();
    byte[] tooLong = new byte[(1 << 16) + 1];

    assertThatThrownBy(() -> database.deleteRange(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("range is null");
    assertThatThrownBy(
            () -> database.deleteRange(KeyRange.all(), WriteOptions.of((Durability) null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("durability is null");
    assertThatThrownBy(() -> database.deleteRange(KeyRange.atLeast(tooLong)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the range's from has 65537 bytes; allowed: up to 65536");
    assertThatThrownBy(() -> batch.deleteRange(database, KeyRange.lessThan(tooLong)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the range's to has 65537 bytes; allowed: up to 65536");
    assertThatThrownBy(() -> batch.deleteRange(null, KeyRange.all()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("database is null");
    assertThatThrownBy(() -> batch.deleteRange(database, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("range is null");
    assertThat(batch.size()).isZero();
    assertThatThrownBy(() -> dropped.deleteRange(KeyRange.all()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("dropped");
    store.close();
    assertThatThrownBy(() -> database.deleteRange(KeyRange.all()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }
}
