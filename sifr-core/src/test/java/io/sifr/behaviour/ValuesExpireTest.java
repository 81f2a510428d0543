package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferView;
import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.spi.MergeOperators;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When values that expire are there, and when their space comes back. */
class ValuesExpireTest {
  private static final byte[] KEY = bytes("key");
  private static final WriteOptions A_MINUTE = WriteOptions.expiringAfter(Duration.ofMinutes(1));

  @TempDir Path parent;
  private Path directory = Path.of("");
  private final Clock clock = new Clock();
  private final Queue<StoreListener.CompactionEvent> compactions = new ConcurrentLinkedQueue<>();

  /** A clock that goes when it is told to. */
  private static final class Clock implements InstantSource {
    private volatile Instant now = Instant.parse("2024-02-03T04:05:06Z");

    @Override
    public Instant instant() {
      return now;
    }

    void pass(Duration time) {
      now = now.plus(time);
    }
  }

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

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private Store open() {
    return Store.builder(directory)
        .options(StoreOptions.builder().keptLogBytes(0).build())
        .clock(clock)
        .listener(
            new StoreListener() {
              @Override
              public void compacted(CompactionEvent event) {
                compactions.add(event);
              }
            })
        .open();
  }

  /** The value of the key, as all ways to read say. */
  private static @Nullable String read(Database database, ReadOptions options) {
    byte[] bytes = database.get(KEY, options);
    String value = bytes == null ? null : new String(bytes, UTF_8);
    assertThat(database.contains(KEY, options)).isEqualTo(value != null);
    assertThat(database.getAsync(KEY, options).join()).isEqualTo(bytes);
    assertThat(database.multiGet(List.of(KEY), options).get(0)).isEqualTo(bytes);
    List<String> seen = new ArrayList<>();
    assertThat(
            database
                .byteBufs()
                .read(Unpooled.wrappedBuffer(KEY), view -> seen.add(view.toString(UTF_8)), options))
        .isEqualTo(value != null);
    try (Cursor cursor = database.cursor(KeyRange.prefix(KEY), options)) {
      while (cursor.next()) {
        seen.add(new String(cursor.value(), UTF_8));
      }
      while (cursor.previous()) {
        seen.add(new String(cursor.value(), UTF_8));
      }
    }
    assertThat(seen).isEqualTo(value == null ? List.of() : List.of(value, value, value));
    return value;
  }

  private static @Nullable String read(Database database) {
    return read(database, ReadOptions.DEFAULT);
  }

  @ParameterizedTest
  @EnumSource
  void cursorsTellWhenTheyDo(Then then) {
    Instant inAnHour = clock.instant().plus(Duration.ofHours(1));
    WriteOptions expiring = WriteOptions.expiringAfter(Duration.ofHours(1));
    try (Store store = open()) {
      Database database = store.database();
      database.put(bytes("a"), bytes("for ever"));
      database.put(bytes("b"), bytes("an hour"), expiring);
      database.put(bytes("c"), new byte[100_000], expiring); // apart from its key
      database.put(bytes("d"), new byte[100_000]);
      database.put(bytes("e"), bytes("older"), expiring);
      then.to(store);
      database.put(bytes("e"), bytes("for ever"));
      List<@Nullable Instant> times = new ArrayList<>();
      try (Cursor cursor = database.cursor()) {
        while (cursor.next()) {
          times.add(cursor.expiresAt());
        }
        while (cursor.previous()) {
          times.add(cursor.expiresAt());
        }
        assertThatThrownBy(cursor::expiresAt).isInstanceOf(IllegalStateException.class);
      }
      assertThat(times)
          .containsExactly(
              null, inAnHour, inAnHour, null, null, null, null, inAnHour, inAnHour, null);
      store.inTransaction(
          transaction -> {
            transaction.put(database, bytes("aa"), bytes("own"), Duration.ofHours(2));
            try (Cursor cursor = transaction.cursor(database, KeyRange.prefix(bytes("a")))) {
              while (cursor.next()) {
                assertThat(cursor.expiresAt()).isNull();
              }
            }
            try (Cursor cursor = transaction.cursor(database, KeyRange.prefix(bytes("b")))) {
              assertThat(cursor.next()).isTrue();
              assertThat(cursor.expiresAt()).isEqualTo(inAnHour);
            }
            return SmallStores.nothing();
          });
    }
  }

  private static long entries(Database database) {
    return database.forest().stages().stream()
        .flatMap(stage -> stage.trees().stream())
        .mapToLong(ForestShape.Tree::entries)
        .sum();
  }

  @ParameterizedTest
  @EnumSource
  void aValueIsThereUntilItIsDue(Then then) {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("value"), A_MINUTE);
      database.put(bytes("before"), bytes("it"));
      database.put(bytes("lies after"), bytes("it"));
      then.to(store);
      assertThat(read(database)).isEqualTo("value");
      clock.pass(Duration.ofMillis(59_999));
      assertThat(read(database)).isEqualTo("value");
      then.to(store);
      clock.pass(Duration.ofMillis(1));
      assertThat(read(database)).isNull();
      then.to(store);
      assertThat(read(database)).isNull();
    }
    try (Store store = open()) {
      assertThat(read(store.database())).isNull();
      assertThat(store.database().get(bytes("before"))).isEqualTo(bytes("it"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anOlderValueDoesNotComeBack(Then then) {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("older"));
      then.to(store);
      database.put(KEY, bytes("value"), A_MINUTE);
      then.to(store);
      clock.pass(Duration.ofHours(1));
      assertThat(read(database)).isNull();
      store.flush();
      store.awaitIdle();
      assertThat(read(database)).isNull();
      database.compact();
      assertThat(read(database)).isNull();
      database.put(KEY, bytes("newer"));
      then.to(store);
      assertThat(read(database)).isEqualTo("newer");
    }
  }

  /** Only the SST below is dropped in the first round, else its value would be there. */
  @Test
  void anSstThatHasExpiredStaysAsLongAsSomethingLiesBelowIt() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("older"));
      store.flush();
      database.put(KEY, bytes("value"), A_MINUTE);
      store.flush();
      clock.pass(Duration.ofHours(1));
      store.awaitIdle();
      assertThat(compactions).isEmpty();
      assertThat(database.forest().trees()).isEqualTo(2);
      assertThat(read(database)).isNull();
    }
  }

  /** Merged without what lies below, it still hides that, as a tombstone does. */
  @Test
  void whatHasExpiredHidesOlderValuesWhereItIsMergedAndThoseAreNot() {
    StoreOptions options =
        StoreOptions.builder().keptLogBytes(0).compaction(CompactionPolicy.splitForest(3)).build();
    try (Store store = Store.builder(directory).options(options).clock(clock).open()) {
      Database database = store.database();
      for (int flush = 0; flush < 3; flush++) {
        database.put(KEY, bytes("older " + flush));
        database.put(bytes("other " + flush), bytes("value"));
        store.flush();
      }
      store.awaitIdle();
      assertThat(database.forest().trees()).isEqualTo(1);
      for (int flush = 0; flush < 3; flush++) {
        if (flush == 2) {
          clock.pass(Duration.ofHours(1));
        }
        if (flush == 0) {
          database.put(KEY, bytes("value"), A_MINUTE);
        }
        database.put(bytes("another " + flush), bytes("value"));
        store.flush();
      }
      store.awaitIdle();
      assertThat(database.forest().trees()).isEqualTo(2);
      assertThat(read(database)).isNull();
      database.compact();
      assertThat(database.forest().trees()).isEqualTo(1);
      assertThat(read(database)).isNull();
    }
  }

  /** So it does in a flush: an older value is in an SST below. */
  @Test
  void whatExpiresInMemoryHidesOlderValues() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("older"));
      store.flush();
      database.put(KEY, bytes("value"), A_MINUTE);
      database.put(bytes("other"), bytes("value"));
      clock.pass(Duration.ofHours(1));
      store.flush();
      assertThat(read(database)).isNull();
      database.compact();
      assertThat(read(database)).isNull();
    }
  }

  /**
   * Had the upper one been dropped first, the lower one would be there if the clock stepped back.
   */
  @Test
  void ofSstsThatHaveExpiredTheLowerIsDroppedFirst() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("older"), WriteOptions.expiringAfter(Duration.ofHours(3)));
      store.flush();
      database.put(KEY, bytes("value"), A_MINUTE);
      store.flush();
      clock.pass(Duration.ofHours(2));
      store.awaitIdle();
      assertThat(compactions).isEmpty();
      assertThat(database.forest().trees()).isEqualTo(2);
      clock.pass(Duration.ofHours(2));
      store.awaitIdle();
      assertThat(database.forest().ssts()).isZero();
      assertThat(compactions)
          .extracting(StoreListener.CompactionEvent::reason)
          .containsExactly(CompactionReason.EXPIRY, CompactionReason.EXPIRY);
    }
  }

  @Test
  void whatHasExpiredIsDroppedUnread() {
    try (Store store = open()) {
      Database database = store.database();
      for (int hour = 0; hour < 3; hour++) {
        for (int i = 0; i < 500; i++) {
          byte[] key = bytes(String.format("hour %d, %03d", hour, i));
          database.put(key, new byte[100], WriteOptions.expiringAfter(Duration.ofMinutes(150)));
        }
        store.flush();
        clock.pass(Duration.ofHours(1));
      }
      store.awaitIdle();
      assertThat(entries(database)).isEqualTo(1000); // the first hour has expired
      clock.pass(Duration.ofHours(1));
      store.awaitIdle();
      assertThat(entries(database)).isEqualTo(500);
      clock.pass(Duration.ofHours(1));
      store.awaitIdle();
      assertThat(database.forest().ssts()).isZero();
      assertThat(compactions)
          .extracting(StoreListener.CompactionEvent::reason)
          .containsOnly(CompactionReason.EXPIRY);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
    }
  }

  @Test
  void compactionsDropWhatHasExpired() {
    try (Store store = open()) {
      Database database = store.database();
      for (int i = 0; i < 1000; i++) {
        byte[] key = bytes("key" + i);
        database.put(key, key, i % 2 == 0 ? A_MINUTE : WriteOptions.DEFAULT);
      }
      store.flush();
      assertThat(entries(database)).isEqualTo(1000);
      clock.pass(Duration.ofMinutes(1));
      try (Snapshot ignored = store.snapshot()) {
        database.compact();
        assertThat(entries(database)).isEqualTo(500);
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void atSnapshotsAndForOpenCursorsTheTimeIsThatOfTheRead() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("value"), A_MINUTE);
      database.put(bytes("key 2"), bytes("stays"));
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor()) {
        database.delete(KEY);
        store.flush();
        assertThat(database.get(KEY, ReadOptions.at(snapshot))).isEqualTo(bytes("value"));
        clock.pass(Duration.ofMinutes(1));
        assertThat(database.get(KEY, ReadOptions.at(snapshot))).isNull();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(bytes("key 2"));
      }
    }
  }

  @Test
  void valuesOfConditionalWritesToo() {
    try (Store store = open()) {
      Database database = store.database();
      database.putIfAbsent(bytes("key 0"), bytes("value"), A_MINUTE);
      assertThat(database.compareAndSet(bytes("key 1"), null, bytes("value"), A_MINUTE)).isTrue();
      assertThat(database.getAndPut(bytes("key 2"), bytes("value"), A_MINUTE)).isNull();
      database.putIfAbsent(bytes("key 3"), bytes("value"), WriteOptions.SYNC);
      assertThat(keys(database)).isEqualTo("0 1 2 3");
      clock.pass(Duration.ofMinutes(1));
      assertThat(keys(database)).isEqualTo("3");
      assertThat(database.putIfAbsent(bytes("key 0"), bytes("again"))).isNull();
      assertThat(keys(database)).isEqualTo("0 3");
    }
  }

  @Test
  void whenTheClockStepsBackValuesMayBeThereAgain() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("value"), A_MINUTE);
      clock.pass(Duration.ofHours(1));
      assertThat(read(database)).isNull();
      clock.pass(Duration.ofHours(-1));
      assertThat(read(database)).isEqualTo("value");
      clock.pass(Duration.ofHours(1));
      store.flush();
      clock.pass(Duration.ofHours(-1));
      assertThat(read(database)).isNull();
    }
  }

  @Test
  void aDatabaseSaysHowLongItsValuesAreThere() {
    DatabaseOptions anHour = DatabaseOptions.builder().expireAfter(Duration.ofHours(1)).build();
    try (Store store = open()) {
      store.database().put(bytes("key 0"), bytes("before"));
      store.alterDatabase(Store.DEFAULT_DATABASE, anHour);
    }
    try (Store store = open()) {
      Database database = store.database();
      assertThat(database.options()).isEqualTo(anHour);
      database.put(bytes("key 1"), bytes("for an hour"));
      BufferView<ByteBuf> buffers = database.byteBufs();
      buffers.put(
          Unpooled.copiedBuffer(bytes("key 2")),
          Unpooled.copiedBuffer(bytes("for an hour")),
          WriteOptions.BUFFERED);
      database.put(bytes("key 3"), bytes("for a minute"), A_MINUTE);
      WriteOptions forEver = WriteOptions.builder().neverExpire().build();
      database.put(bytes("key 4"), bytes("for ever"), forEver);
      WriteBatch batch = new WriteBatch();
      batch.put(database, bytes("key 5"), bytes("for an hour"));
      batch.put(database, bytes("key 6"), bytes("for a minute"), Duration.ofMinutes(1));
      batch.put(database, bytes("key 7"), bytes("for ever"), (Duration) null);
      batch.put(
          buffers,
          Unpooled.copiedBuffer(bytes("key 8")),
          Unpooled.copiedBuffer(bytes("for an hour")));
      store.write(batch);
      try (Transaction transaction = store.beginTransaction()) {
        transaction.put(database, bytes("key 9"), bytes("for an hour"));
        transaction.put(database, bytes("key a"), bytes("for a minute"), Duration.ofMinutes(1));
        transaction.put(database, bytes("key b"), bytes("for ever"), null);
        clock.pass(Duration.ofSeconds(1)); // counts from the commit on
        assertThat(transaction.get(database, bytes("key a"))).isNotNull();
        transaction.commit();
      }
      assertThat(keys(database)).isEqualTo("0 1 2 3 4 5 6 7 8 9 a b");
      clock.pass(Duration.ofSeconds(59));
      assertThat(keys(database)).isEqualTo("0 1 2 4 5 7 8 9 a b");
      clock.pass(Duration.ofSeconds(1));
      assertThat(keys(database)).isEqualTo("0 1 2 4 5 7 8 9 b");
      clock.pass(Duration.ofMinutes(59));
      assertThat(keys(database)).isEqualTo("0 4 7 b");
    }
  }

  private static String keys(Database database) {
    StringBuilder keys = new StringBuilder();
    try (Cursor cursor = database.cursor()) {
      while (cursor.next()) {
        keys.append(new String(cursor.key(), UTF_8).substring(3));
      }
    }
    return keys.toString().strip();
  }

  @Test
  void operandsThatFollowAnExpiredValueBeginAnew() {
    try (Store store = open()) {
      Database database =
          store.createDatabase(
              "texts", DatabaseOptions.builder().mergeOperator(MergeOperators.APPEND).build());
      database.put(KEY, bytes("a"), A_MINUTE);
      database.merge(KEY, bytes("b"));
      store.flush();
      assertThat(read(database)).isEqualTo("ab");
      clock.pass(Duration.ofMinutes(1));
      assertThat(read(database)).isEqualTo("b");
      database.compact();
      assertThat(read(database)).isEqualTo("b");
      assertThat(entries(database)).isEqualTo(1);
    }
  }

  @Test
  void changesThatDependOnAValueTakeAnExpiredOneForNone() {
    try (Store store = open()) {
      Database database = store.database();
      database.put(KEY, bytes("value"), A_MINUTE);
      assertThat(database.putIfAbsent(KEY, bytes("other"))).isEqualTo(bytes("value"));
      clock.pass(Duration.ofMinutes(1));
      assertThat(database.compareAndSet(KEY, bytes("value"), bytes("other"))).isFalse();
      assertThat(database.putIfAbsent(KEY, bytes("other"))).isNull();
      assertThat(read(database)).isEqualTo("other");
      database.put(KEY, bytes("value"), A_MINUTE);
      clock.pass(Duration.ofMinutes(1));
      try (Transaction transaction = store.beginTransaction()) {
        assertThat(transaction.get(database, KEY)).isNull();
        transaction.put(database, KEY, bytes("third"));
        transaction.commit();
      }
      assertThat(read(database)).isEqualTo("third");
    }
  }

  @Test
  void whatIsLoadedExpiresAsTheDatabaseSays() {
    try (Store store = open()) {
      Database database =
          store.createDatabase(
              "loaded", DatabaseOptions.builder().expireAfter(Duration.ofHours(1)).build());
      try (BulkLoader loader = database.bulkLoader().open()) {
        loader.put(KEY, bytes("value"));
        loader.finish();
      }
      assertThat(read(database)).isEqualTo("value");
      clock.pass(Duration.ofHours(1));
      assertThat(read(database)).isNull();
      store.awaitIdle();
      assertThat(database.forest().ssts()).isZero();
    }
  }

  @Test
  void aSalvagedStoreKeepsTheTimes() {
    try (Store store = open()) {
      store.database().put(KEY, bytes("value"), A_MINUTE);
    }
    Path target = parent.resolve("salvaged");
    Salvage.run(directory, target, CheckProgress.NONE);
    directory = target;
    try (Store store = open()) {
      assertThat(read(store.database())).isEqualTo("value");
      clock.pass(Duration.ofMinutes(1));
      assertThat(read(store.database())).isNull();
    }
  }

  @Test
  void timesThatAreTooShortOrTooLongAreRefused() {
    for (Duration time : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(365_001))) {
      String message = "expireAfter is " + time + "; allowed: 1 millisecond to 365000 days";
      assertThatThrownBy(() -> WriteOptions.expiringAfter(time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
      assertThatThrownBy(() -> DatabaseOptions.builder().expireAfter(time)).hasMessage(message);
    }
    DatabaseOptions.Builder both =
        DatabaseOptions.builder().expireAfter(Duration.ofDays(1)).mergeOperator("append");
    assertThatThrownBy(both::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a database has one of both");
  }
}
