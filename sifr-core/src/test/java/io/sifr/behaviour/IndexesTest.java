package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.Index;
import io.sifr.IndexCursor;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IndexOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.Isolation;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.DuplicateIndexKeyException;
import io.sifr.error.IndexExtractorException;
import io.sifr.error.IndexNotBuiltException;
import io.sifr.event.Change;
import io.sifr.event.Metric;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.MergeOperators;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entries are found by what is in them, whatever way they came. */
class IndexesTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** The words of a value are its index keys. */
  private static final IndexExtractor WORDS = extractor("words", (key, value) -> words(value));

  /** The value up to the first comma. */
  private static final IndexExtractor HEAD =
      extractor("head", (key, value) -> List.of(bytes(new String(value, UTF_8).split(",", 2)[0])));

  @TempDir Path parent;

  private Instant now = Instant.ofEpochMilli(1000);

  private static IndexExtractor extractor(
      String name, BiFunction<byte[], byte[], Collection<byte[]>> keys) {
    return new IndexExtractor() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Collection<byte[]> indexKeys(byte[] key, byte[] value) {
        return keys.apply(key, value);
      }
    };
  }

  private static List<byte[]> words(byte[] value) {
    return Arrays.stream(new String(value, UTF_8).split(" "))
        .filter(word -> !word.isEmpty())
        .map(SmallStores::bytes)
        .toList();
  }

  private Store open(StoreOptions options) {
    return Store.builder(parent.resolve("store"))
        .options(options)
        .indexExtractor(WORDS)
        .indexExtractor(HEAD)
        .clock((InstantSource) () -> now)
        .open();
  }

  private Store open() {
    return open(SmallStores.options().keptLogBytes(0).build());
  }

  private static DatabaseOptions indexed() {
    return DatabaseOptions.builder().index("byWord", WORDS).build();
  }

  private static DatabaseOptions unique() {
    return DatabaseOptions.builder().uniqueIndex("byHead", HEAD).build();
  }

  private static void put(Database database, String key, String value) {
    database.put(bytes(key), bytes(value));
  }

  private static List<String> find(Database database, String word) {
    return Index.of(database, "byWord").get(bytes(word)).stream()
        .map(entry -> text(entry.key()) + "=" + text(entry.value()))
        .toList();
  }

  private static List<String> rest(IndexCursor opened) {
    List<String> found = new ArrayList<>();
    try (IndexCursor cursor = opened) {
      while (cursor.next()) {
        found.add(text(cursor.indexKey()) + ":" + text(cursor.key()));
      }
    }
    return found;
  }

  private static List<String> all(Database database) {
    return rest(Index.of(database, "byWord").cursor(KeyRange.all()));
  }

  private static void await(Database database, String index) throws InterruptedException {
    assertThat(Index.of(database, index).awaitBuilt(LONG)).isTrue();
  }

  @Test
  void entriesAreFound() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "red green");
      put(database, "2", "green blue");
      put(database, "3", "");
      assertThat(find(database, "green")).containsExactly("1=red green", "2=green blue");
      assertThat(find(database, "red")).containsExactly("1=red green");
      assertThat(find(database, "yellow")).isEmpty();
      assertThat(all(database)).containsExactly("blue:2", "green:1", "green:2", "red:1");
      put(database, "1", "blue");
      database.delete(bytes("2"));
      assertThat(find(database, "green")).isEmpty();
      assertThat(all(database)).containsExactly("blue:1");
    }
    try (Store store = open()) {
      Database database = store.database("texts");
      assertThat(all(database)).containsExactly("blue:1");
      assertThat(database.options().indexes())
          .containsExactly(new IndexOptions("byWord", "words", false));
    }
  }

  @Test
  void cursorsGoBothWaysAndToKeys() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "a c");
      put(database, "2", "b c");
      put(database, "3", "x");
      put(database, "3", "d");
      try (IndexCursor cursor = Index.of(database, "byWord").cursor(KeyRange.all())) {
        assertThat(cursor.isValid()).isFalse();
        assertThatIllegalStateException().isThrownBy(cursor::key);
        assertThat(cursor.last()).isTrue();
        assertThat(text(cursor.indexKey())).isEqualTo("d");
        assertThat(cursor.previous()).isTrue();
        assertThat(text(cursor.indexKey()) + text(cursor.key())).isEqualTo("c2");
        assertThat(cursor.previous()).isTrue();
        assertThat(text(cursor.indexKey()) + text(cursor.key())).isEqualTo("c1");
        assertThat(text(cursor.value())).isEqualTo("a c");
        assertThat(cursor.seek(bytes("b"))).isTrue();
        assertThat(text(cursor.key())).isEqualTo("2");
        assertThat(cursor.seekBefore(bytes("b"))).isTrue();
        assertThat(text(cursor.indexKey())).isEqualTo("a");
        assertThat(cursor.seek(bytes("y"))).isFalse();
        assertThat(cursor.isValid()).isFalse();
        assertThat(cursor.seekBefore(bytes("a"))).isFalse();
        assertThat(cursor.first()).isTrue();
      }
      assertThat(
              rest(
                  Index.of(database, "byWord")
                      .cursor(KeyRange.between(bytes("b"), true, bytes("d"), false))))
          .containsExactly("b:2", "c:1", "c:2");
    }
  }

  @Test
  void indexKeysMayHaveAnyBytes() {
    IndexExtractor whole = extractor("whole", (key, value) -> List.of(value));
    List<byte[]> values =
        List.of(
            new byte[] {},
            new byte[] {0},
            new byte[] {0, 0},
            new byte[] {0, 1},
            new byte[] {0, -1},
            new byte[] {1},
            new byte[] {1, 0},
            new byte[] {-1});
    try (Store store = Store.builder(parent.resolve("store")).indexExtractor(whole).open()) {
      Database database =
          store.createDatabase("any", DatabaseOptions.builder().index("i", whole).build());
      for (byte[] key : values) {
        for (byte[] value : values) {
          byte[] both = Arrays.copyOf(key, key.length + 1 + value.length);
          both[key.length] = 7;
          System.arraycopy(value, 0, both, key.length + 1, value.length);
          database.put(both, value);
        }
      }
      List<byte[]> found = new ArrayList<>();
      try (IndexCursor cursor = Index.of(database, "i").cursor(KeyRange.all())) {
        while (cursor.next()) {
          assertThat(cursor.value()).isEqualTo(cursor.indexKey());
          found.add(cursor.indexKey());
        }
      }
      assertThat(found).hasSize(64).isSortedAccordingTo(Arrays::compareUnsigned);
      for (byte[] value : values) {
        assertThat(Index.of(database, "i").get(value)).hasSize(8);
      }
      byte[] longest = new byte[16384];
      database.put(bytes("long"), longest);
      assertThat(Index.of(database, "i").get(longest)).hasSize(1);
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> database.put(bytes("long"), new byte[16385]))
          .withMessageContaining("16385 bytes; allowed: up to 16384");
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> database.put(new byte[65536], longest))
          .withMessageContaining("allowed: up to 65536");
      assertThat(database.contains(new byte[65536])).isFalse();
    }
  }

  @Test
  void everyKindOfWriteIsIndexed() throws Exception {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      store.write(
          new WriteBatch()
              .put(database, bytes("1"), bytes("first"))
              .put(database, bytes("1"), bytes("second"))
              .put(database, bytes("2"), bytes("gone"))
              .delete(database, bytes("2"))
              .put(store.database(), bytes("1"), bytes("elsewhere")));
      assertThat(all(database)).containsExactly("second:1");
      database.putIfAbsent(bytes("1"), bytes("third"));
      database.putIfAbsent(bytes("3"), bytes("third"));
      assertThat(all(database)).containsExactly("second:1", "third:3");
      assertThat(database.compareAndSet(bytes("3"), bytes("third"), bytes("fourth"))).isTrue();
      assertThat(database.getAndPut(bytes("1"), bytes("fifth"))).isEqualTo(bytes("second"));
      assertThat(all(database)).containsExactly("fifth:1", "fourth:3");
      assertThat(database.getAndDelete(bytes("1"))).isEqualTo(bytes("fifth"));
      byte[] large = bytes("large" + " ".repeat(300_000));
      database.put(bytes("4"), large.length, new ByteArrayInputStream(large), WriteOptions.DEFAULT);
      database.put(bytes("5"), large);
      assertThat(find(database, "large")).hasSize(2);
      database.deleteRange(KeyRange.atLeast(bytes("4")));
      assertThat(all(database)).containsExactly("fourth:3");
      assertThat(store.database().get(bytes("1"))).isEqualTo(bytes("elsewhere"));
    }
  }

  @Test
  void valuesThatExpireAreGone() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      database.put(bytes("1"), bytes("short"), WriteOptions.expiringAfter(Duration.ofSeconds(10)));
      assertThat(find(database, "short")).hasSize(1);
      now = now.plusSeconds(11);
      assertThat(find(database, "short")).isEmpty();
      assertThat(Index.of(database, "byWord").clean()).isLessThanOrEqualTo(1);
      // A clock that steps back brings nothing back that the index does not find.
      now = now.minusSeconds(11);
      assertThat(find(database, "short")).hasSize(database.contains(bytes("1")) ? 1 : 0);
    }
  }

  @Test
  void snapshotsSeeWhatWas() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "old");
      try (Snapshot snapshot = store.snapshot()) {
        put(database, "1", "new");
        Index index = Index.of(database, "byWord");
        assertThat(index.get(bytes("old"))).isEmpty();
        assertThat(index.clean()).isLessThanOrEqualTo(1);
        store.flush();
        database.compact();
        assertThat(index.get(bytes("old"), ReadOptions.at(snapshot))).hasSize(1);
        assertThat(index.get(bytes("new"), ReadOptions.at(snapshot))).isEmpty();
        assertThat(index.get(bytes("new"))).hasSize(1);
      }
    }
  }

  @Test
  void whatIsThereIsIndexedInTheBackground() throws Exception {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", DatabaseOptions.DEFAULT);
      for (int i = 0; i < 5000; i++) {
        put(database, "key" + i, "word" + i % 10 + " all");
      }
      try (Snapshot before = store.snapshot()) {
        store.alterDatabase("texts", indexed());
        for (int i = 5000; i < 6000; i++) {
          put(database, "key" + i, "word" + i % 10 + " all");
        }
        await(database, "byWord");
        assertThat(find(database, "word3")).hasSize(600);
        assertThat(find(database, "all")).hasSize(6000);
        assertThat(Index.of(database, "byWord").progress().isBuilt()).isTrue();
        assertThat(Index.of(database, "byWord").progress().indexed()).isBetween(5000L, 6000L);
        assertThat(store.statistics().get(Metric.INDEX_ENTRIES_BUILT)).isBetween(5000L, 6000L);
        assertThatExceptionOfType(IndexNotBuiltException.class)
            .isThrownBy(
                () -> Index.of(database, "byWord").get(bytes("all"), ReadOptions.at(before)))
            .withMessageContaining("younger than the snapshot");
      }
    }
    try (Store store = open()) {
      assertThat(find(store.database("texts"), "all")).hasSize(6000);
    }
  }

  @Test
  void indexesComeAndGo() throws Exception {
    try (Store store = open()) {
      put(store.database(), "1", "red, green");
      store.alterDatabase("default", indexed().toBuilder().uniqueIndex("byHead", HEAD).build());
      await(store.database(), "byHead");
      await(store.database(), "byWord");
      assertThat(find(store.database(), "green")).hasSize(1);
      assertThat(store.databaseNames()).containsExactly("default");
      store.alterDatabase("default", unique());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Index.of(store.database(), "byWord"))
          .withMessage("there is no index \"byWord\" of default; there are [byHead]");
      put(store.database(), "2", "blue");
      assertThat(Index.of(store.database(), "byHead").get(bytes("blue"))).hasSize(1);
      store.alterDatabase("default", DatabaseOptions.DEFAULT);
      put(store.database(), "3", "blue");
      store.alterDatabase("default", indexed());
      await(store.database(), "byWord");
      assertThat(find(store.database(), "blue")).hasSize(2);
    }
  }

  @Test
  void nobodyTouchesTheEntriesByHand() {
    try (Store store = open()) {
      Database unused = store.createDatabase("texts", indexed());
      String hidden = "texts\u001fbyWord";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.database(hidden))
          .withMessageContaining("is an index: it is kept by the store");
      assertThatIllegalArgumentException().isThrownBy(() -> store.dropDatabase(hidden));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.createDatabase(hidden, DatabaseOptions.DEFAULT));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.alterDatabase(hidden, DatabaseOptions.DEFAULT));
      assertThat(store.databaseNames()).containsExactly("default", "texts");
      assertThat(store.statistics().get(Metric.DATABASES)).isEqualTo(2);
      store.dropDatabase("texts");
      Database again = store.createDatabase("texts", indexed());
      assertThat(all(again)).isEmpty();
    }
  }

  @Test
  void filesThatAreAddedAreIndexed() throws Exception {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "old");
      put(database, "2", "old");
      Path file = parent.resolve("entries.sst");
      try (SstFileWriter writer = SstFileWriter.create(file, StoreOptions.DEFAULT)) {
        writer.put(bytes("1"), bytes("new"));
        var unused = writer.finish();
      }
      database.ingest(List.of(file), IngestOptions.DEFAULT);
      await(database, "byWord");
      assertThat(all(database)).containsExactly("new:1", "old:2");
      try (BulkLoader loader = database.bulkLoader().open()) {
        loader.put(bytes("2"), bytes("newer"));
        loader.finish();
      }
      await(database, "byWord");
      assertThat(all(database)).containsExactly("new:1", "newer:2");
    }
  }

  @Test
  void uniqueIndexesRefuseDuplicates() {
    try (Store store = open()) {
      Database database = store.createDatabase("users", unique());
      Index index = Index.of(database, "byHead");
      put(database, "1", "ann,x");
      assertThatExceptionOfType(DuplicateIndexKeyException.class)
          .isThrownBy(() -> put(database, "2", "ann,y"))
          .withMessageContaining("\"ann\" is that of \"1\", so it cannot be that of \"2\"")
          .satisfies(e -> assertThat(e.existingKey()).isEqualTo(bytes("1")))
          .satisfies(e -> assertThat(e.indexKey()).isEqualTo(bytes("ann")))
          .satisfies(e -> assertThat(e.index()).isEqualTo("byHead"));
      assertThat(database.contains(bytes("2"))).isFalse();
      put(database, "1", "ann,z");
      put(database, "1", "bob");
      put(database, "2", "ann");
      assertThatExceptionOfType(DuplicateIndexKeyException.class)
          .isThrownBy(
              () ->
                  store.write(
                      new WriteBatch()
                          .put(database, bytes("3"), bytes("eve"))
                          .put(database, bytes("4"), bytes("eve"))));
      // They change places within a batch.
      store.write(
          new WriteBatch()
              .put(database, bytes("1"), bytes("ann"))
              .put(database, bytes("2"), bytes("bob")));
      assertThat(index.get(bytes("ann"))).hasSize(1);
      store.write(
          new WriteBatch()
              .deleteRange(database, KeyRange.all())
              .put(database, bytes("9"), bytes("ann")));
      assertThat(index.get(bytes("ann")).get(0).key()).isEqualTo(bytes("9"));
      assertThatExceptionOfType(DuplicateIndexKeyException.class)
          .isThrownBy(
              () ->
                  store.inTransaction(
                      t -> {
                        t.put(database, bytes("5"), bytes("ann"));
                        return null;
                      }));
      assertThatExceptionOfType(DuplicateIndexKeyException.class)
          .isThrownBy(() -> database.putIfAbsent(bytes("6"), bytes("ann")));
      assertThat(database.count(KeyRange.all())).isEqualTo(1);
    }
  }

  @Test
  void uniqueIndexOfDuplicatesIsNotBuilt() throws Exception {
    try (Store store = open()) {
      Database database = store.createDatabase("users", DatabaseOptions.DEFAULT);
      put(database, "1", "ann");
      put(database, "2", "ann");
      store.alterDatabase("users", unique());
      Index index = Index.of(database, "byHead");
      assertThatExceptionOfType(IndexNotBuiltException.class)
          .isThrownBy(() -> index.awaitBuilt(LONG))
          .withCauseInstanceOf(DuplicateIndexKeyException.class);
      assertThatExceptionOfType(IndexNotBuiltException.class)
          .isThrownBy(() -> index.get(bytes("ann")))
          .withMessageContaining("cannot be built");
      assertThat(index.progress().failure()).isInstanceOf(DuplicateIndexKeyException.class);
      database.delete(bytes("2"));
      index.rebuild();
      assertThat(index.awaitBuilt(LONG)).isTrue();
      assertThat(index.get(bytes("ann"))).hasSize(1);
    }
  }

  @Test
  void extractorThatFailsWritesNothing() {
    IndexExtractor failing =
        extractor(
            "failing",
            (key, value) -> {
              String said = new String(value, UTF_8);
              if (said.equals("bad")) {
                throw new IllegalStateException("cannot");
              }
              return said.equals("null") ? SmallStores.nothing() : List.of(value);
            });
    try (Store store = Store.builder(parent.resolve("store")).indexExtractor(failing).open()) {
      Database database =
          store.createDatabase("data", DatabaseOptions.builder().index("i", failing).build());
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(
              () ->
                  store.write(
                      new WriteBatch()
                          .put(database, bytes("1"), bytes("good"))
                          .put(database, bytes("2"), bytes("bad"))))
          .withMessageContaining("index i of data")
          .withMessageContaining("cannot");
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> put(database, "1", "null"));
      assertThat(database.count(KeyRange.all())).isZero();
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Store.open(parent.resolve("store")))
        .withMessageContaining("index extractor \"failing\" of database \"data\"")
        .withMessageContaining("Store.Builder.indexExtractor");
    try (Store store = Store.builder(parent.resolve("store")).allowUnregistered().open()) {
      Database database = store.database("data");
      database.delete(bytes("1"));
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> put(database, "1", "good"))
          .withMessageContaining("not registered");
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> Index.of(database, "i").get(bytes("good")));
    }
  }

  @Test
  void whatAnIndexCannotFollowIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> indexed().toBuilder().mergeOperator(MergeOperators.all().get(0)).build())
        .withMessageContaining("a database has one or an index");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> indexed().toBuilder().compactionFilter("f").build());
    StoreOptions fifo = StoreOptions.builder().compaction(CompactionPolicy.fifo(1 << 20)).build();
    try (Store store = open(fifo)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.createDatabase("texts", indexed()))
          .withMessageContaining("drops old data");
    }
  }

  @Test
  void transactionsSeeTheirOwnWrites() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      Index index = Index.of(database, "byWord");
      put(database, "1", "a");
      put(database, "2", "a");
      try (Transaction transaction = store.beginTransaction()) {
        transaction.put(database, bytes("1"), bytes("b"));
        transaction.put(database, bytes("3"), bytes("a"));
        transaction.delete(database, bytes("2"));
        assertThat(rest(index.cursor(transaction, KeyRange.all()))).containsExactly("a:3", "b:1");
        assertThat(all(database)).containsExactly("a:1", "a:2");
        transaction.commit();
      }
      assertThat(all(database)).containsExactly("a:3", "b:1");
    }
  }

  @Test
  void serializableTransactionsConflictWithWhatTheyWouldHaveFound() {
    TransactionOptions serializable =
        TransactionOptions.builder().isolation(Isolation.SERIALIZABLE).build();
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      Index index = Index.of(database, "byWord");
      put(database, "1", "a");
      for (String other : List.of("a", "b")) {
        try (Transaction transaction = store.beginTransaction(serializable)) {
          KeyRange onlyA = KeyRange.between(bytes("a"), true, bytes("a"), true);
          assertThat(rest(index.cursor(transaction, onlyA))).isNotEmpty();
          put(database, "2" + other, other);
          transaction.put(store.database(), bytes("x"), bytes("y"));
          if (other.equals("a")) {
            assertThatExceptionOfType(ConflictException.class).isThrownBy(transaction::commit);
          } else {
            transaction.commit();
          }
        }
      }
    }
  }

  @Test
  void staleEntriesAreDeletedWhenTheyAreMet() throws Exception {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      for (int i = 0; i < 500; i++) {
        put(database, "key" + i, "old");
        put(database, "key" + i, "new");
      }
      assertThat(find(database, "old")).isEmpty();
      while (store.statistics().get(Metric.INDEX_STALE_DELETES) < 500) {
        Thread.sleep(1);
      }
      assertThat(store.statistics().get(Metric.INDEX_STALE_READS)).isEqualTo(500);
      assertThat(find(database, "old")).isEmpty();
      assertThat(store.statistics().get(Metric.INDEX_STALE_READS)).isEqualTo(500);
      assertThat(find(database, "new")).hasSize(500);
      for (int i = 0; i < 500; i++) {
        put(database, "key" + i, "old");
      }
      assertThat(find(database, "old")).hasSize(500);
      assertThat(Index.of(database, "byWord").clean()).isEqualTo(500);
      assertThat(all(database)).hasSize(500);
    }
  }

  @Test
  void readersOfChangesSeeNothingOfIt() {
    StoreOptions options = SmallStores.options().retainedLogBytes(1 << 20).build();
    try (Store store = open(options)) {
      long from = store.lastSequence() + 1;
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "red");
      List<String> told = new ArrayList<>();
      try (var changes = store.changes(from)) {
        for (Change change = changes.next(); change != null; change = changes.next()) {
          if (change instanceof Change.Write write) {
            write.operations().forEach(op -> told.add(op.database() + ":" + text(op.key())));
          } else {
            told.add(change.getClass().getSimpleName());
          }
        }
      }
      assertThat(told).containsExactly("DatabaseCreated", "texts:1");
    }
  }

  @Test
  void readOnlyStoresReadThem() {
    try (Store store = open()) {
      Database database = store.createDatabase("texts", indexed());
      put(database, "1", "red");
      put(database, "1", "blue");
      try (Store reader =
          Store.builder(parent.resolve("store")).indexExtractor(WORDS).openReadOnly()) {
        assertThat(all(reader.database("texts"))).containsExactly("blue:1");
      }
      store.checkpoint(parent.resolve("copy"));
    }
    try (Store copy = Store.builder(parent.resolve("copy")).indexExtractor(WORDS).open()) {
      assertThat(all(copy.database("texts"))).containsExactly("blue:1");
    }
  }
}
