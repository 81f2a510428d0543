package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.nothing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.WriteOptions;
import io.sifr.testing.TestOperators;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BadArgumentIsRefusedTest {
  private static final byte[] KEY = bytes("k");
  private static final byte[] LONG_KEY = new byte[(1 << 16) + 1];

  @TempDir Path directory;
  private Store store;
  private Database database;

  @BeforeEach
  void open() {
    store = SmallStores.open(directory);
    database = store.database();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static void assertRefused(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }

  @Test
  void nullKeysAndValues() {
    assertRefused("key is null", () -> database.put(nothing(), KEY));
    assertRefused("value is null", () -> database.put(KEY, SmallStores.<byte[]>nothing()));
    assertRefused(
        "key is null",
        () -> database.put(nothing(), 0, InputStream.nullInputStream(), WriteOptions.DEFAULT));
    assertRefused("value is null", () -> database.put(KEY, 0, nothing(), WriteOptions.DEFAULT));
    assertRefused(
        "options is null", () -> database.put(KEY, 0, InputStream.nullInputStream(), nothing()));
    assertRefused("key is null", () -> database.delete(SmallStores.<byte[]>nothing()));
    assertRefused("key is null", () -> database.putIfAbsent(nothing(), KEY));
    assertRefused("value is null", () -> database.putIfAbsent(KEY, nothing()));
    assertRefused("key is null", () -> database.compareAndSet(nothing(), KEY, KEY));
    assertRefused("key is null", () -> database.compareAndSet(nothing(), null, null));
    assertRefused("value is null", () -> database.getAndPut(KEY, nothing()));
    assertRefused("key is null", () -> database.getAndDelete(nothing()));
    assertRefused("options is null", () -> database.compareAndSet(KEY, KEY, null, nothing()));
    assertRefused("key has 65537", () -> database.compareAndSet(LONG_KEY, null, null));
    assertRefused("key is null", () -> new WriteBatch().requireAbsent(database, nothing()));
    assertRefused("value is null", () -> new WriteBatch().requireValue(database, KEY, nothing()));
    assertRefused(
        "snapshot is null", () -> new WriteBatch().requireUnchanged(database, KEY, nothing()));
    assertRefused("key is null", () -> database.get(SmallStores.<byte[]>nothing()));
    assertRefused("key is null", () -> database.contains(SmallStores.<byte[]>nothing()));
    assertThat(SmallStores.content(database)).isEmpty();
  }

  @Test
  void nullDurabilitiesSnapshotsRangesBatchesAndNames() {
    assertRefused("durability is null", () -> database.put(KEY, KEY, WriteOptions.of(nothing())));
    assertRefused(
        "durability is null", () -> store.write(new WriteBatch(), WriteOptions.of(nothing())));
    assertRefused("batch is null", () -> store.write(nothing()));
    assertRefused("snapshot is null", () -> ReadOptions.at(nothing()));
    assertRefused("snapshot is null", () -> ReadOptions.builder().snapshot(nothing()));
    assertRefused("range is null", () -> database.cursor(nothing()));
    assertRefused("range is null", () -> database.compact(nothing()));
    assertRefused(
        "database is null", () -> new WriteBatch().put(SmallStores.<Database>nothing(), KEY, KEY));
    assertRefused("name is null", () -> store.database(nothing()));
    assertRefused("directory is null", () -> Store.open(nothing()));
    assertRefused("options is null", () -> Store.builder(directory).options(nothing()));
    assertRefused("listener is null", () -> Store.builder(directory).listener(nothing()));
    assertThat(SmallStores.content(database)).isEmpty();
  }

  @Test
  void nullsAndLimitsInWritesWithOptions() {
    assertRefused(
        "options is null", () -> database.put(KEY, KEY, SmallStores.<WriteOptions>nothing()));
    assertRefused(
        "options is null", () -> database.delete(KEY, SmallStores.<WriteOptions>nothing()));
    assertRefused(
        "options is null",
        () -> store.write(new WriteBatch(), SmallStores.<WriteOptions>nothing()));
    assertRefused("key is null", () -> database.put(nothing(), KEY, WriteOptions.DEFAULT));
    assertRefused("batch is null", () -> store.write(nothing(), WriteOptions.DEFAULT));
    assertRefused("range is null", () -> database.deleteRange(nothing(), WriteOptions.DEFAULT));
    assertRefused("durability is null", () -> WriteOptions.builder().durability(nothing()));
    assertRefused("maxStall is null", () -> WriteOptions.builder().maxStall(nothing()));
    assertRefused(
        "maxStall is PT-1S; allowed: 0 to 365 days",
        () -> WriteOptions.builder().maxStall(Duration.ofSeconds(-1)));
    assertRefused(
        "maxStall is PT8784H; allowed: 0 to 365 days",
        () -> WriteOptions.builder().maxStall(Duration.ofDays(366)));
    WriteOptions expiring = WriteOptions.expiringAfter(Duration.ofDays(1));
    String onlyPuts = "expireAfter is PT24H; allowed: only for puts, one by one";
    assertRefused(onlyPuts, () -> database.delete(KEY, expiring));
    assertRefused(onlyPuts, () -> database.deleteRange(KeyRange.all(), expiring));
    assertRefused(onlyPuts, () -> database.merge(KEY, KEY, expiring));
    assertRefused(onlyPuts, () -> store.write(new WriteBatch(), expiring));
    assertRefused(onlyPuts, () -> database.getAndDelete(KEY, expiring));
    assertRefused(onlyPuts, () -> database.compareAndSet(KEY, KEY, null, expiring));
    assertThat(SmallStores.content(database)).isEmpty();
  }

  @Test
  void nullsInReadsWithOptions() {
    assertRefused("options is null", () -> database.get(KEY, nothing()));
    assertRefused("options is null", () -> database.contains(KEY, nothing()));
    assertRefused("key is null", () -> database.get(nothing(), ReadOptions.DEFAULT));
    assertRefused("options is null", () -> database.cursor(KeyRange.all(), nothing()));
    assertRefused("keys is null", () -> database.multiGet(nothing()));
    assertRefused("key is null", () -> database.multiGet(java.util.Arrays.asList(KEY, nothing())));
    assertRefused("options is null", () -> database.multiGet(List.of(KEY), nothing()));
    assertRefused("key is null", () -> database.getAsync(nothing()));
    assertRefused("options is null", () -> database.getAsync(KEY, nothing()));
    assertRefused("searchScheme is null", () -> ReadOptions.builder().searchScheme(nothing()));
  }

  @Test
  void keysOver64KiB() {
    String message = "key has 65537 bytes; allowed: up to 65536";
    assertRefused(message, () -> database.put(LONG_KEY, KEY));
    assertRefused(message, () -> database.delete(LONG_KEY));
    assertRefused(message, () -> database.get(LONG_KEY));
    assertRefused(message, () -> database.contains(LONG_KEY));
    assertRefused(message, () -> database.multiGet(List.of(KEY, LONG_KEY)));
    assertRefused(message, () -> database.getAsync(LONG_KEY));
    assertRefused(message, () -> new WriteBatch().put(database, LONG_KEY, KEY));
    ByteBuf buffer = Unpooled.wrappedBuffer(LONG_KEY);
    assertRefused(message, () -> database.byteBufs().put(buffer, buffer));
    try (Cursor cursor = database.cursor()) {
      assertRefused(message, () -> cursor.seek(LONG_KEY));
      assertRefused(message, () -> cursor.seekBefore(LONG_KEY));
      assertRefused("key is null", () -> cursor.seek(nothing()));
    }
  }

  @Test
  void valuesOver512MiB() {
    // The same kilobyte again and again: no test needs half a gigabyte for a value.
    ByteBuf kilobyte = Unpooled.wrappedBuffer(new byte[1024]);
    ByteBuf[] many = new ByteBuf[(512 << 10) + 1];
    java.util.Arrays.setAll(many, i -> kilobyte.retainedDuplicate());
    ByteBuf huge = Unpooled.wrappedUnmodifiableBuffer(many);
    assertRefused(
        "value has 536871936 bytes; allowed: up to 536870912",
        () -> database.byteBufs().put(Unpooled.wrappedBuffer(KEY), huge));
    assertThat(database.get(KEY)).isNull();
  }

  @Test
  void badNamesOfDatabases() {
    for (String name : new String[] {"", "x".repeat(256), "a\nb", "a\0b"}) {
      assertRefused(
          "the database's name has " + name.length(),
          () -> store.createDatabase(name, DatabaseOptions.DEFAULT));
    }
    assertRefused("there is no database \"other\"", () -> store.database("other"));
    assertRefused(
        "already", () -> store.createDatabase(Store.DEFAULT_DATABASE, DatabaseOptions.DEFAULT));
    assertRefused("cannot be dropped", () -> store.dropDatabase(Store.DEFAULT_DATABASE));
    assertThat(store.databaseNames()).containsExactly(Store.DEFAULT_DATABASE);
  }

  /** What a manifest cannot hold is refused before anything is written, and the store goes on. */
  @Test
  void namesThatAreNoText() {
    for (String name : new String[] {"\ud800", "\udc00", "a\udbffb", "\udc00\ud800", "\ud83c"}) {
      assertRefused(
          "or an unpaired surrogate", () -> store.createDatabase(name, DatabaseOptions.DEFAULT));
      assertRefused("or an unpaired surrogate", () -> store.openOrCreateDatabase(name));
      assertRefused(
          "or an unpaired surrogate",
          () -> store.openOrCreateDatabase(name, DatabaseOptions.DEFAULT));
      assertRefused(
          "or an unpaired surrogate", () -> DatabaseOptions.builder().mergeOperator(name));
      assertRefused(
          "or an unpaired surrogate",
          () -> Store.builder(directory).mergeOperator(new TestOperators.Renamed(name)).open());
      assertRefused("or an unpaired surrogate", () -> store.dropDatabase(name));
      database.put(KEY, KEY);
      store.flush();
    }
    store.openOrCreateDatabase("\ud83c\udf52 line\u2028paragraph\u2029").put(KEY, KEY);
    store.close();
    store = SmallStores.open(directory);
    assertThat(store.databaseNames())
        .containsExactly(Store.DEFAULT_DATABASE, "\ud83c\udf52 line\u2028paragraph\u2029");
  }

  @Test
  void aFailingReaderOfAValueIsItsCallersAffair() {
    database.put(KEY, KEY);
    Consumer<ByteBuf> failing =
        buffer -> {
          throw new IllegalStateException("mine");
        };
    assertThatThrownBy(() -> database.byteBufs().read(Unpooled.wrappedBuffer(KEY), failing))
        .hasMessage("mine");
    assertThat(database.get(KEY)).isEqualTo(KEY);
  }
}
