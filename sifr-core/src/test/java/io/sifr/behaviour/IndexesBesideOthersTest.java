package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.Index;
import io.sifr.IndexCursor;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Isolation;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.DuplicateIndexKeyException;
import io.sifr.error.IndexExtractorException;
import io.sifr.error.IndexNotBuiltException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Operators;
import io.sifr.spi.EncryptionKeys;
import io.sifr.spi.IndexExtractor;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.Gate;
import io.sifr.testing.TestExtractors;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others do at the same moment, and a crash afterwards, leave indexes as they must be. */
class IndexesBesideOthersTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path parent;

  private final Gate gate = new Gate();

  /** The whole value; the gate holds up who asks about one that begins with "slow". */
  private final IndexExtractor slow =
      TestExtractors.of(
          "slow",
          (key, value) -> {
            if (new String(value, UTF_8).startsWith("slow")) {
              gate.pass();
            }
            return List.of(value);
          });

  private static DatabaseOptions with(IndexExtractor extractor) {
    return DatabaseOptions.builder().index("index", extractor).build();
  }

  private Store inMemory() {
    return Store.inMemory().indexExtractor(slow).indexExtractor(TestExtractors.WORDS).open();
  }

  private static List<byte[]> find(Database database, String indexKey) {
    return Index.of(database, "index").get(bytes(indexKey)).stream()
        .map(io.sifr.Entry::key)
        .toList();
  }

  /** A store in which a unique index is being built: it has read the first two entries. */
  private Store inAStep() {
    Store store = inMemory();
    Database database = store.createDatabase("data", DatabaseOptions.DEFAULT);
    database.put(bytes("1"), bytes("a"));
    database.put(bytes("2"), bytes("b"));
    database.put(bytes("3"), bytes("slow"));
    gate.close();
    store.alterDatabase("data", DatabaseOptions.builder().uniqueIndex("index", slow).build());
    gate.awaitArrival();
    return store;
  }

  @Test
  void aDuplicateThatIsPutDuringAStepIsSeen() {
    try (Store store = inAStep()) {
      Database database = store.database("data");
      database.put(bytes("2"), bytes("a")); // nobody knows yet of that of "1"
      gate.open();
      assertThatExceptionOfType(IndexNotBuiltException.class)
          .isThrownBy(() -> Index.of(database, "index").awaitBuilt(LONG))
          .withCauseInstanceOf(DuplicateIndexKeyException.class);
    }
  }

  @Test
  void aKeyThatMovesDuringAStepIsNoDuplicate() throws InterruptedException {
    try (Store store = inAStep()) {
      Database database = store.database("data");
      database.delete(bytes("1"));
      database.put(bytes("0"), bytes("a"));
      gate.open();
      assertThat(Index.of(database, "index").awaitBuilt(LONG)).isTrue();
      assertThat(find(database, "a")).containsExactly(bytes("0"));
    }
  }

  @Test
  void whoWaitsForAnIndexThatIsEmptiedWaitsForTheNext() {
    try (Store store = inAStep()) {
      Index index = Index.of(store.database("data"), "index");
      AtomicReference<Object> found = new AtomicReference<>();
      Thread waiting =
          new Thread(
              () -> {
                try {
                  found.set(index.awaitBuilt(LONG));
                } catch (InterruptedException e) {
                  found.set(e);
                }
              });
      waiting.start();
      while (waiting.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      index.rebuild();
      gate.open();
      Uninterruptibles.joinUninterruptibly(waiting);
      assertThat(found.get()).isEqualTo(true);
    }
  }

  @Test
  void writesAndReadsGoOnWhileAnIndexIsEmptied() throws Exception {
    try (Store store = inMemory()) {
      Database database =
          store.createDatabase(
              "data", DatabaseOptions.builder().uniqueIndex("index", slow).build());
      Index index = Index.of(database, "index");
      AtomicBoolean isOver = new AtomicBoolean();
      CompletableFuture<Integer> writer =
          CompletableFuture.supplyAsync(
              () -> {
                int written = 0;
                while (!isOver.get()) {
                  database.put(bytes("key " + written % 100), bytes("value " + written));
                  try {
                    assertThat(index.get(bytes("value " + written))).hasSize(1);
                  } catch (IndexNotBuiltException e) {
                    assertThat(e).hasMessageContaining("index");
                  }
                  written++;
                }
                return written;
              });
      for (int i = 0; i < 30; i++) {
        index.rebuild();
        assertThat(index.awaitBuilt(LONG)).isTrue();
      }
      isOver.set(true);
      assertThat(writer.get()).isPositive();
    }
  }

  @Test
  void aTransactionThatHasReadAnIndexThatIsEmptiedBeginsAgain() throws InterruptedException {
    try (Store store = inMemory()) {
      Database database = store.createDatabase("data", with(TestExtractors.WORDS));
      Index index = Index.of(database, "index");
      database.put(bytes("1"), bytes("word"));
      Transaction transaction =
          store.beginTransaction(
              TransactionOptions.builder().isolation(Isolation.SERIALIZABLE).build());
      try (IndexCursor cursor = index.cursor(transaction, KeyRange.all())) {
        assertThat(cursor.next()).isTrue();
      }
      transaction.put(database, bytes("2"), bytes("other"));
      index.rebuild();
      assertThatExceptionOfType(ConflictException.class).isThrownBy(transaction::commit);
      assertThat(index.awaitBuilt(LONG)).isTrue();
      assertThat(find(database, "other")).isEmpty();
    }
  }

  @Test
  @SuppressWarnings("NullAway") // what callers without nullness checks may give
  void wrongArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DatabaseOptions.builder().index("index", (IndexExtractor) null))
        .withMessage("the index extractor is null");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DatabaseOptions.builder().uniqueIndex(null, slow))
        .withMessage("the index's name is null");
    try (Store store = inMemory()) {
      Database database = store.createDatabase("data", with(TestExtractors.WORDS));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Index.of(database, "index").get(new byte[20_000]))
          .withMessage("indexKey has 20000 bytes; allowed: 0 to 16384");
    }
  }

  private static void fails(IndexExtractor extractor) {
    try (Store store = Store.inMemory().indexExtractor(extractor).open()) {
      Database database = store.createDatabase("data", DatabaseOptions.DEFAULT);
      database.put(bytes("1"), bytes("a"));
      store.alterDatabase("data", with(extractor));
      assertThatExceptionOfType(IndexNotBuiltException.class)
          .isThrownBy(() -> Index.of(database, "index").awaitBuilt(LONG))
          .withMessageContaining("of a test");
      assertThatExceptionOfType(IndexExtractorException.class)
          .isThrownBy(() -> database.put(bytes("2"), bytes("b")));
      assertThat(database.contains(bytes("2"))).isFalse();
    }
  }

  @Test
  void whateverAnExtractorThrowsIsTold() {
    fails(
        TestExtractors.of(
            "error",
            (key, value) -> {
              throw new AssertionError("of a test");
            }));
    fails(
        TestExtractors.of(
            "lazy",
            (key, value) ->
                new AbstractList<>() {
                  @Override
                  public byte[] get(int index) {
                    throw new IllegalStateException("of a test");
                  }

                  @Override
                  public int size() {
                    return 1;
                  }
                }));
  }

  /** Events say which index, and lists of databases do not have it. */
  @Test
  void anIndexHasANameForPeople() {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    Store.Builder builder =
        Store.inMemory()
            .indexExtractor(TestExtractors.WORDS)
            .listener(
                new StoreListener() {
                  @Override
                  public void flushed(FlushEvent event) {
                    told.add(event.database());
                  }

                  @Override
                  public void compacted(CompactionEvent event) {
                    told.add(event.database());
                  }
                });
    try (Store store = builder.open()) {
      Database database = store.createDatabase("data", with(TestExtractors.WORDS));
      database.put(bytes("1"), bytes("word"));
      store.flush();
      assertThat(told).containsExactlyInAnyOrder("data", "index index of data");
      assertThat(store.databaseNames()).containsExactly("data", "default");
      Backups backups = Backups.in(parent.resolve("backup"));
      assertThat(backups.create(store).databases()).containsExactly("data", "default");
      backups.restore(1, parent.resolve("restored"));
    }
    try (Store store =
        Store.builder(parent.resolve("restored")).indexExtractor(TestExtractors.WORDS).open()) {
      assertThat(find(store.database("data"), "word")).hasSize(1);
    }
  }

  @Test
  void anEntryThatCountsAgainIsNotDeleted() throws InterruptedException {
    try (Store store = inMemory()) {
      Database database = store.createDatabase("data", with(slow));
      database.put(bytes("1"), bytes("a"));
      database.put(bytes("1"), bytes("slow"));
      gate.close();
      // The extractor is asked about the entry's value, to see whether it counts.
      CompletableFuture<Long> cleaning =
          CompletableFuture.supplyAsync(() -> Index.of(database, "index").clean());
      gate.awaitArrival();
      database.put(bytes("1"), bytes("a"));
      gate.open();
      cleaning.join();
      assertThat(find(database, "a")).hasSize(1);
    }
  }

  @Test
  void aWriteThatWasBegunBeforeAnIndexIsInIt() throws Exception {
    try (Store store = inMemory()) {
      Database database = store.createDatabase("data", with(slow));
      gate.close();
      CompletableFuture<Void> put =
          CompletableFuture.runAsync(() -> database.put(bytes("1"), bytes("slow word")));
      gate.awaitArrival();
      store.alterDatabase(
          "data", with(slow).toBuilder().index("words", TestExtractors.WORDS).build());
      assertThat(Index.of(database, "words").awaitBuilt(LONG)).isTrue();
      gate.open();
      put.join();
      assertThat(Index.of(database, "words").get(bytes("word"))).hasSize(1);
      gate.open();
    }
  }

  @Test
  void aWriteThatWasBegunBeforeAnIndexWasDroppedIsMade() {
    try (Store store = inMemory()) {
      DatabaseOptions both = with(slow).toBuilder().index("words", TestExtractors.WORDS).build();
      Database database = store.createDatabase("data", both);
      gate.close();
      CompletableFuture<Void> put =
          CompletableFuture.runAsync(() -> database.put(bytes("1"), bytes("slow word")));
      gate.awaitArrival();
      store.alterDatabase("data", with(slow));
      gate.open();
      put.join();
      assertThat(find(database, "slow word")).hasSize(1);
    }
  }

  @Test
  void aStreamThatWasBegunBeforeAnIndexIsRefused() throws Exception {
    try (Store store = inMemory()) {
      Database database = store.createDatabase("data", DatabaseOptions.DEFAULT);
      int length = 4 << 20;
      InputStream stream =
          new InputStream() {
            private int left = length;

            @Override
            public int read() {
              gate.pass();
              return left-- > 0 ? 'a' : -1;
            }

            @Override
            public int read(byte[] target, int offset, int most) {
              gate.pass();
              int count = Math.min(left, most);
              left -= count;
              return count > 0 ? count : -1;
            }
          };
      gate.close();
      CompletableFuture<Void> put =
          CompletableFuture.runAsync(
              () ->
                  assertThatIllegalStateException()
                      .isThrownBy(
                          () -> database.put(bytes("1"), length, stream, WriteOptions.DEFAULT))
                      .withMessageContaining("has got an index"));
      gate.awaitArrival();
      store.alterDatabase("data", with(TestExtractors.WORDS));
      assertThat(Index.of(database, "index").awaitBuilt(LONG)).isTrue();
      gate.open();
      put.join();
      assertThat(database.contains(bytes("1"))).isFalse();
    }
  }

  private static Store open(CrashDisk disk) {
    StoreOptions options = SmallStores.options().build();
    Extensions extensions =
        Extensions.of(options)
            .with(new Operators(Set.of(), false).withExtractors(List.of(TestExtractors.WORDS)));
    return TestStores.open(DIRECTORY, options, disk.fileSystem(), StoreListener.NONE, extensions);
  }

  /** A delete that is lost brings back what the index must find. */
  @Test
  void whatACrashBringsBackIsFoundAfterACleaning() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    CrashDisk left;
    try (Store store = open(disk)) {
      Database database = store.createDatabase("data", with(TestExtractors.WORDS));
      database.put(bytes("1"), bytes("word"), WriteOptions.SYNC);
      store.flush();
      database.delete(bytes("1"), WriteOptions.UNLOGGED);
      assertThat(Index.of(database, "index").clean()).isEqualTo(1);
      store.sync();
      left = disk.kill();
    }
    try (Store store = open(left)) {
      Database database = store.database("data");
      assertThat(find(database, "word")).hasSize(database.contains(bytes("1")) ? 1 : 0);
    }
  }

  @Test
  void whatACrashBringsBackIsFoundAfterABuild() throws InterruptedException {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    CrashDisk left;
    try (Store store = open(disk)) {
      Database database = store.createDatabase("data", DatabaseOptions.DEFAULT);
      database.put(bytes("1"), bytes("word"), WriteOptions.SYNC);
      store.flush();
      database.delete(bytes("1"), WriteOptions.UNLOGGED);
      store.alterDatabase("data", with(TestExtractors.WORDS));
      assertThat(Index.of(database, "index").awaitBuilt(LONG)).isTrue();
      store.sync();
      left = disk.kill();
    }
    try (Store store = open(left)) {
      Database database = store.database("data");
      assertThat(Index.of(database, "index").awaitBuilt(LONG)).isTrue();
      assertThat(find(database, "word")).hasSize(database.contains(bytes("1")) ? 1 : 0);
    }
  }

  /** What was indexed before a crash is not indexed again. */
  @Test
  void aBuildGoesOnWhereItWas() throws InterruptedException {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    IndexExtractor gated =
        TestExtractors.of(
            "words",
            (key, value) -> {
              if (new String(key, UTF_8).equals("2500")) {
                gate.pass();
              }
              return List.of(value);
            });
    StoreOptions options = SmallStores.options().build();
    Extensions extensions =
        Extensions.of(options).with(new Operators(Set.of(), false).withExtractors(List.of(gated)));
    CrashDisk left;
    try (Store store =
        TestStores.open(DIRECTORY, options, disk.fileSystem(), StoreListener.NONE, extensions)) {
      Database database = store.database();
      for (int i = 1000; i < 4000; i++) {
        database.put(bytes("" + i), bytes("word"));
      }
      gate.close();
      store.alterDatabase("default", with(gated));
      gate.awaitArrival();
      store.sync();
      left = disk.kill();
      gate.open();
    }
    try (Store store = open(left)) {
      assertThat(Index.of(store.database(), "index").awaitBuilt(LONG)).isTrue();
      assertThat(find(store.database(), "word")).hasSize(3000);
      assertThat(store.statistics().get(Metric.INDEX_ENTRIES_BUILT)).isBetween(1L, 2000L);
      assertThat(Index.of(store.database(), "index").progress().indexed()).isEqualTo(3000);
    }
  }

  private Store onDisk(Path directory, IndexExtractor extractor) {
    return Store.builder(directory).indexExtractor(extractor).open();
  }

  private static CheckReport check(Path directory, IndexExtractor extractor) {
    return StoreCheck.run(directory, EncryptionKeys.NONE, List.of(extractor), CheckProgress.NONE);
  }

  /** What an extractor says that has changed its mind is what an index lacks. */
  @Test
  void aCheckFindsWhatAnIndexLacks() {
    Path directory = parent.resolve("store");
    try (Store store = onDisk(directory, TestExtractors.WORDS)) {
      Database database =
          store.createDatabase(
              "data",
              DatabaseOptions.builder()
                  .index("index", TestExtractors.WORDS)
                  .uniqueIndex("unique", TestExtractors.WORDS)
                  .build());
      database.put(bytes("1"), bytes("old"));
      database.put(bytes("1"), bytes("word"));
    }
    assertThat(check(directory, TestExtractors.WORDS).findings()).isEmpty();
    assertThat(check(directory, TestExtractors.HEAD).findings()).isEmpty();
    IndexExtractor other =
        TestExtractors.of("words", (key, value) -> List.of(bytes("other"), bytes("word")));
    assertThat(check(directory, other).findings())
        .extracting(finding -> finding.what())
        .containsExactly(
            "index index of data does not find the key \"1\"",
            "index unique of data does not find the key \"1\"");
  }

  @Test
  void aSalvagedStoreBuildsItsIndexes() throws InterruptedException {
    Path directory = parent.resolve("store");
    try (Store store = onDisk(directory, TestExtractors.WORDS)) {
      Database database = store.createDatabase("data", with(TestExtractors.WORDS));
      database.put(bytes("1"), bytes("word"));
      store.flush();
      database.put(bytes("2"), bytes("word"));
    }
    Path rescued = parent.resolve("rescued");
    assertThat(Salvage.run(directory, rescued, CheckProgress.NONE).databases())
        .extracting(database -> database.name())
        .containsExactly("data", "default");
    try (Store store = onDisk(rescued, TestExtractors.WORDS)) {
      Database database = store.database("data");
      assertThat(Index.of(database, "index").awaitBuilt(LONG)).isTrue();
      assertThat(find(database, "word")).hasSize(2);
    }
  }
}
