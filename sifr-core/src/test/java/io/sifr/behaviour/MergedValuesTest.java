package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.sifr.error.MergeOperatorException;
import io.sifr.event.ForestShape;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.TestOperators;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What merges come to, wherever the operands and what is below them lie. */
class MergedValuesTest {
  private static final StoreOptions NOTHING_STAYS_IN_THE_LOG =
      StoreOptions.builder().keptLogBytes(0).build();

  private static final byte[] KEY = bytes("key");

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  /** What becomes of a write before the next one. */
  enum Then {
    IT_STAYS_IN_MEMORY {
      @Override
      void to(Database database, Store store) {}
    },
    IT_IS_FLUSHED {
      @Override
      void to(Database database, Store store) {
        store.flush();
      }
    },
    IT_IS_COMPACTED {
      @Override
      void to(Database database, Store store) {
        database.compact();
      }
    };

    abstract void to(Database database, Store store);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static DatabaseOptions with(MergeOperator operator) {
    return DatabaseOptions.builder().mergeOperator(operator).build();
  }

  private static @Nullable String text(byte @Nullable [] value) {
    return value == null ? null : new String(value, UTF_8);
  }

  /** The value of the key, as all ways to read say. */
  private static @Nullable String read(Database database, ReadOptions options) {
    String value = text(database.get(KEY, options));
    assertThat(database.contains(KEY, options)).isEqualTo(value != null);
    assertThat(text(database.getAsync(KEY, options).join())).isEqualTo(value);
    assertThat(text(database.multiGet(List.of(KEY), options).get(0))).isEqualTo(value);
    List<String> seen = new ArrayList<>();
    assertThat(
            database
                .byteBufs()
                .read(Unpooled.wrappedBuffer(KEY), view -> seen.add(view.toString(UTF_8)), options))
        .isEqualTo(value != null);
    try (Cursor cursor = database.cursor(KeyRange.all(), options)) {
      while (cursor.next()) {
        seen.add(text(cursor.value()));
      }
      while (cursor.previous()) {
        seen.add(text(cursor.value()));
      }
    }
    assertThat(seen).isEqualTo(value == null ? List.of() : List.of(value, value, value));
    return value;
  }

  private static @Nullable String read(Database database) {
    return read(database, ReadOptions.DEFAULT);
  }

  private static long entries(Database database) {
    return database.forest().stages().stream()
        .flatMap(stage -> stage.trees().stream())
        .mapToLong(ForestShape.Tree::entries)
        .sum();
  }

  @ParameterizedTest
  @EnumSource
  void operandsAreAppliedInTheirOrder(Then then) {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("texts", with(MergeOperators.APPEND));
      database.merge(KEY, bytes("a"));
      then.to(database, store);
      assertThat(read(database)).isEqualTo("a");
      database.merge(KEY, bytes("b"));
      then.to(database, store);
      database.put(KEY, bytes("c"));
      then.to(database, store);
      assertThat(read(database)).isEqualTo("c");
      database.merge(KEY, bytes("d"));
      then.to(database, store);
      database.merge(KEY, bytes("e"));
      then.to(database, store);
      assertThat(read(database)).isEqualTo("cde");
      try (Snapshot snapshot = store.snapshot()) {
        database.merge(KEY, bytes("f"));
        then.to(database, store);
        assertThat(read(database)).isEqualTo("cdef");
        assertThat(read(database, ReadOptions.at(snapshot))).isEqualTo("cde");
        database.delete(KEY);
        then.to(database, store);
        database.merge(KEY, bytes("g"));
        then.to(database, store);
        assertThat(read(database)).isEqualTo("g");
        assertThat(read(database, ReadOptions.at(snapshot))).isEqualTo("cde");
      }
    }
    try (Store store = Store.open(directory)) {
      assertThat(read(store.database("texts"))).isEqualTo("g");
    }
  }

  @ParameterizedTest
  @EnumSource
  void operandsThatARangeDeleteHidesDoNotCount(Then then) {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("texts", with(MergeOperators.APPEND));
      database.put(KEY, bytes("a"));
      then.to(database, store);
      database.merge(KEY, bytes("b"));
      then.to(database, store);
      try (Snapshot snapshot = store.snapshot()) {
        database.deleteRange(KeyRange.all());
        then.to(database, store);
        assertThat(read(database)).isNull();
        database.merge(KEY, bytes("c"));
        then.to(database, store);
        database.merge(KEY, bytes("d"));
        then.to(database, store);
        assertThat(read(database)).isEqualTo("cd");
        assertThat(read(database, ReadOptions.at(snapshot))).isEqualTo("ab");
      }
    }
  }

  @Test
  void compactionLeavesOneValueOfManyOperands() {
    try (Store store = Store.open(directory)) {
      store.alterDatabase(Store.DEFAULT_DATABASE, with(MergeOperators.ADD_LONG));
      Database database = store.database();
      for (int i = 0; i < 1000; i++) {
        database.merge(KEY, MergeOperators.ofLong(i));
        if (i % 100 == 0) {
          store.flush();
        }
      }
      database.compact();
      assertThat(entries(database)).isEqualTo(1);
      assertThat(database.get(KEY)).isEqualTo(MergeOperators.ofLong(499_500));
    }
  }

  @Test
  void aFlushJoinsWhatIsInMemoryThoughAnOlderTreeHasTheValue() {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("numbers", with(MergeOperators.ADD_LONG));
      database.put(KEY, MergeOperators.ofLong(-7));
      store.flush();
      for (int i = 0; i < 1000; i++) {
        database.merge(KEY, MergeOperators.ofLong(1));
      }
      store.flush();
      assertThat(entries(database)).isEqualTo(2);
      assertThat(database.get(KEY)).isEqualTo(MergeOperators.ofLong(993));
    }
  }

  @Test
  void theLargestStays() {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("largest", with(MergeOperators.MAXIMUM));
      for (String operand : List.of("b", "z", "ab", "zz", "y")) {
        database.merge(KEY, bytes(operand));
        store.flush();
      }
      assertThat(read(database)).isEqualTo("zz");
    }
  }

  @Test
  void aBatchMergesPutsAndDeletesInItsOrder() {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("texts", with(MergeOperators.APPEND));
      WriteBatch batch = new WriteBatch();
      batch.put(database, KEY, bytes("a")).merge(database, KEY, bytes("b"));
      batch.merge(database, KEY, bytes("c"));
      store.write(batch);
      assertThat(read(database)).isEqualTo("abc");
      batch.delete(database, KEY).merge(database, KEY, bytes("d"));
      store.write(batch);
      assertThat(read(database)).isEqualTo("d");
    }
  }

  @Test
  void anOperandThatTheOperatorRefusesIsNotWritten() {
    try (Store store = Store.open(directory)) {
      Database database = store.createDatabase("numbers", with(MergeOperators.ADD_LONG));
      String message = "the operand of add-long has 3 bytes; allowed: 8, for a 64-bit integer";
      assertThatThrownBy(() -> database.merge(KEY, bytes("abc")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
      WriteBatch batch = new WriteBatch();
      assertThatThrownBy(() -> batch.merge(database, KEY, bytes("abc"))).hasMessage(message);
      assertThat(batch.size()).isZero();
      assertThat(database.contains(KEY)).isFalse();
    }
  }

  @Test
  void withoutAnOperatorNothingCanBeMerged() {
    try (Store store = Store.open(directory)) {
      assertThatThrownBy(() -> store.database().merge(KEY, KEY))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("database default has no merge operator");
    }
  }

  @Test
  void optionsStayWithTheDatabase() {
    DatabaseOptions appending = with(MergeOperators.APPEND);
    try (Store store = Store.open(directory)) {
      assertThat(store.database().options()).isEqualTo(DatabaseOptions.DEFAULT);
      store.alterDatabase(Store.DEFAULT_DATABASE, appending);
      assertThat(store.openOrCreateDatabase("other", appending).options()).isEqualTo(appending);
      assertThat(store.openOrCreateDatabase("plain").options()).isEqualTo(DatabaseOptions.DEFAULT);
      assertThat(store.openOrCreateDatabase("plain", appending).options()).isEqualTo(appending);
    }
    try (Store store = Store.open(directory)) {
      for (String name : List.of("default", "other", "plain")) {
        assertThat(store.database(name).options()).isEqualTo(appending);
      }
      assertThatThrownBy(() -> store.alterDatabase("other", with(MergeOperators.MAXIMUM)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "the merge operator cannot become \"maximum\": the database may hold operands of"
                  + " \"append\"");
      assertThatThrownBy(() -> store.alterDatabase("other", DatabaseOptions.DEFAULT))
          .hasMessageContaining("the merge operator cannot become none");
      assertThat(store.database("other").options()).isEqualTo(appending);
      assertThatThrownBy(() -> store.createDatabase("third", with(TestOperators.CHAIN)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"chain\" of database \"third\" is not registered")
          .hasMessageContaining("[add-long, append, maximum]");
      assertThat(store.databaseNames()).doesNotContain("third");
    }
  }

  /** Half of it in the log, half of it in an SST. */
  private void writeWithChain() {
    try (Store store =
        Store.builder(directory)
            .options(NOTHING_STAYS_IN_THE_LOG)
            .mergeOperator(TestOperators.CHAIN)
            .open()) {
      Database database = store.createDatabase("chains", with(TestOperators.CHAIN));
      database.put(KEY, bytes("a"));
      database.put(bytes("other"), bytes("value"));
      store.flush();
      database.merge(KEY, bytes("b"));
      store.flush();
      database.merge(KEY, bytes("c"));
    }
  }

  @Test
  void aStoreIsNotOpenedWithoutItsOperatorUnlessThatIsAllowed() {
    writeWithChain();
    assertThatThrownBy(() -> Store.open(directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"chain\" of database \"chains\" is not registered");
    try (Store store = Store.builder(directory).allowUnregistered().open()) {
      Database database = store.database("chains");
      String message =
          "key \"key\" cannot be read: in database \"chains\", the merge operator \"chain\" is not"
              + " registered";
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> database.get(KEY))
            .isInstanceOf(MergeOperatorException.class)
            .hasMessage(message);
        assertThatThrownBy(() -> database.multiGet(List.of(KEY))).hasMessage(message);
        CompletableFuture<byte @Nullable []> future = database.getAsync(KEY);
        assertThatThrownBy(future::join)
            .isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(MergeOperatorException.class);
        try (Cursor cursor = database.cursor()) {
          assertThatThrownBy(cursor::next).hasMessage(message);
          assertThat(cursor.seek(bytes("other"))).isTrue();
          assertThatThrownBy(cursor::previous).hasMessage(message);
        }
        assertThat(text(database.get(bytes("other")))).isEqualTo("value");
        assertThatThrownBy(() -> database.merge(KEY, KEY))
            .isInstanceOf(MergeOperatorException.class)
            .hasMessageContaining("\"chain\" is not registered");
        database.compact(); // and then all the same again
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
    try (Store store = Store.builder(directory).mergeOperator(TestOperators.CHAIN).open()) {
      Database database = store.database("chains");
      assertThat(text(database.get(KEY))).isEqualTo("abc");
      database.compact();
      assertThat(text(database.get(KEY))).isEqualTo("abc");
    }
  }

  @Test
  void aSalvagedStoreHasTheOperandsAndTheOptions() {
    writeWithChain();
    Path target = parent.resolve("salvaged");
    Salvage.run(directory, target, CheckProgress.NONE);
    try (Store store = Store.builder(target).mergeOperator(TestOperators.CHAIN).open()) {
      Database database = store.database("chains");
      assertThat(database.options()).isEqualTo(with(TestOperators.CHAIN));
      assertThat(text(database.get(KEY))).isEqualTo("abc");
      database.merge(KEY, bytes("d"));
      assertThat(text(database.get(KEY))).isEqualTo("abcd");
    }
  }

  @Test
  void anOperatorThatFailsIsNamedAndLosesNothing() {
    TestOperators.Failing failing = new TestOperators.Failing();
    try (Store store = Store.builder(directory).mergeOperator(failing).open()) {
      Database database = store.createDatabase("texts", with(failing));
      database.put(KEY, bytes("a"));
      store.flush();
      failing.fails = true;
      database.merge(KEY, bytes("b"));
      database.merge(KEY, bytes("c"));
      assertThatThrownBy(() -> database.get(KEY))
          .isInstanceOf(MergeOperatorException.class)
          .hasMessage(
              "in database \"texts\", the merge operator \"failing\" has failed:"
                  + " java.lang.UnsupportedOperationException: told to fail, for key \"key\"")
          .hasCauseInstanceOf(UnsupportedOperationException.class);
      store.flush();
      database.compact();
      database.put(bytes("more"), bytes("writes"), WriteOptions.SYNC);
      failing.fails = false;
      assertThat(text(database.get(KEY))).isEqualTo("abc");
      database.compact();
      assertThat(text(database.get(KEY))).isEqualTo("abc");
    }
  }

  @Test
  void twoOperatorsOfOneNameAreRefused() {
    assertThatThrownBy(
            () ->
                Store.builder(directory)
                    .mergeOperator(TestOperators.CHAIN)
                    .mergeOperator(new TestOperators.Renamed("chain"))
                    .open())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there are two merge operators \"chain\"");
    assertThatThrownBy(
            () -> Store.builder(directory).mergeOperator(new TestOperators.Renamed("a\nb")).open())
        .hasMessageContaining("none of them a control character");
  }
}
