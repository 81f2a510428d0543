package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SideDirectoryException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fast directory that loses its files when the power fails takes nothing along. */
class LostRowsAreMadeAgainTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");

  private CrashDisk disk = CrashDisk.with(DIRECTORY);

  private static StoreOptions.Builder without() {
    return SmallStores.options().logAccess(LogAccess.WRITTEN).fastBytes(4 << 20);
  }

  /** In which rows stay where they are flushed to. */
  private static StoreOptions with() {
    return without().fastDirectory(FAST).fastIsVolatile(true).build();
  }

  /** In which rows are soon too many. */
  private static StoreOptions small() {
    return without().fastBytes(256 << 10).fastDirectory(FAST).fastIsVolatile(true).build();
  }

  private Store open(StoreOptions options) {
    return TestStores.open(DIRECTORY, options, disk.fileSystem());
  }

  private List<Long> ssts(Path directory) {
    return FileKind.SST.numbersIn(disk.fileSystem(), directory);
  }

  private List<Long> segments(Path directory) {
    return FileKind.WAL.numbersIn(disk.fileSystem(), directory);
  }

  /** Those that are kept to be used again are among them. */
  private void awaitFewerSegmentsThan(int number) {
    Waiting.until("the log is given back", () -> segments(DIRECTORY).size() < number);
  }

  /** Also the file by which the directory is known to be the store's. */
  private static void empty(StoreFileSystem files) {
    files.list(FAST).forEach(name -> files.delete(FAST.resolve(name)));
    files.syncDirectory(FAST);
  }

  private void killAndEmpty(Random random) {
    disk = disk.crash(random);
    empty(disk.fileSystem());
  }

  @Test
  void rowsLieThereAndTheLogDoesNot() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      assertThat(ssts(FAST)).isNotEmpty();
      assertThat(ssts(DIRECTORY)).isEmpty();
      assertThat(segments(FAST)).isEmpty();
      assertThat(segments(DIRECTORY)).hasSizeGreaterThan(5);
    }
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      assertThat(ssts(DIRECTORY)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasFlushedIsMadeAgain(boolean isWanted) {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      fill(store.database(), 300, 700, 2);
    }
    empty(disk.fileSystem());
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings())
        .isNotEmpty()
        .allMatch(finding -> finding.what().endsWith("the next opening makes it anew"));
    try (Store store = open(isWanted ? with() : without().build())) {
      assertOverwritten(store);
      assertThat(ssts(FAST)).isEmpty();
    }
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
    assertThat(disk.fileSystem().exists(FAST.resolve("OWNER"))).isEqualTo(isWanted);
  }

  private static void assertOverwritten(Store store) {
    Map<String, String> expected = filled(0, 1000, 1);
    expected.putAll(filled(300, 700, 2));
    assertThat(content(store.database())).isEqualTo(expected);
  }

  @Test
  void aSingleFileIsMadeAgainInItsPlace() {
    for (int lost = 0; lost < 3; lost++) {
      disk = CrashDisk.with(DIRECTORY);
      try (Store store = open(with())) {
        fill(store.database(), 0, 700, 1);
        store.flush();
        fill(store.database(), 300, 500, 2);
        store.flush();
        fill(store.database(), 700, 1000, 1);
        fill(store.database(), 500, 700, 2);
      }
      List<Long> rows = ssts(FAST);
      assertThat(rows).hasSizeGreaterThan(2);
      disk.fileSystem().delete(FileKind.SST.path(FAST, rows.get(lost)));
      try (Store store = open(with())) {
        assertOverwritten(store);
        assertThat(ssts(FAST)).hasSize(rows.size() - 1);
      }
    }
  }

  /** What was compacted between two parts of it is in another SST of the same tree. */
  @Test
  void partsOfARowAreMadeAgainAroundWhatIsThere() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 200, 1);
      store.flush();
      List<Long> row = ssts(FAST);
      store.database().compact(KeyRange.between(key(80), key(120)));
      assertThat(ssts(FAST)).isEqualTo(row);
      assertThat(ssts(DIRECTORY)).hasSize(1);
      assertThat(store.database().forest().trees()).isEqualTo(1);
    }
    empty(disk.fileSystem());
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 200, 1));
      assertThat(ssts(DIRECTORY)).hasSize(3);
    }
  }

  /** The log is not kept longer than it is needed. */
  @Test
  void theLogIsGivenBackWhenRowsAreCompacted() {
    try (Store store = open(with())) {
      for (int i = 0; i < 10; i++) {
        fill(store.database(), 0, 1000, i);
        store.flush();
        store.awaitIdle();
        assertThat(segments(DIRECTORY)).hasSizeLessThan(80);
      }
      fill(store.database(), 0, 1000, 10);
      store.flush();
      int held = segments(DIRECTORY).size();
      store.database().compact();
      awaitFewerSegmentsThan(Math.min(held, 8));
    }
  }

  /** The only row of a database that is no longer written would hold the log of all others. */
  @Test
  void aRowThatHoldsTooMuchOfTheLogIsRewritten() {
    try (Store store = open(small())) {
      Database old = store.createDatabase("old", DatabaseOptions.DEFAULT);
      fill(old, 0, 10, 1);
      store.flush();
      List<Long> row = ssts(FAST);
      for (int i = 0; i < 10; i++) {
        fill(store.database(), 0, 1000, i);
        store.flush();
        store.awaitIdle();
        assertThat(segments(DIRECTORY)).hasSizeLessThan(80);
      }
      assertThat(ssts(FAST)).doesNotContainAnyElementsOf(row);
      assertThat(content(old)).isEqualTo(filled(0, 10, 1));
      assertThat(old.forest().trees()).isEqualTo(1);
    }
  }

  /** A row needs the log from its own first write on, not from the last flush of its database. */
  @Test
  void aDatabaseThatIsWrittenRarelyHoldsNothingOfTheLogBefore() {
    try (Store store = open(with())) {
      Database rare = store.createDatabase("rare", DatabaseOptions.DEFAULT);
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      assertThat(ssts(FAST)).isEmpty();
      flushRow(store, rare);
    }
    assertRowIsMadeAgain();
  }

  private void flushRow(Store store, Database rare) {
    fill(rare, 0, 10, 1);
    store.flush();
    assertThat(ssts(FAST)).hasSize(1);
    awaitFewerSegmentsThan(8);
  }

  private void assertRowIsMadeAgain() {
    empty(disk.fileSystem());
    try (Store store = open(with())) {
      assertThat(content(store.database("rare"))).isEqualTo(filled(0, 10, 1));
    }
  }

  /** The row counts on nothing that it does not need, since that may go meanwhile. */
  @Test
  @Timeout(60)
  void theLogOfOthersIsGivenBackWhileARowIsWritten() {
    CompletableFuture<Void> chosen = new CompletableFuture<>();
    CompletableFuture<Void> rowIsWritten = new CompletableFuture<>();
    CompletableFuture<Void> compacted = new CompletableFuture<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            if (point == BackgroundCrashPoint.COMPACTION_CHOSEN) {
              chosen.complete(null);
              rowIsWritten.join();
            } else if (point == BackgroundCrashPoint.FLUSH_FILES_DURABLE && chosen.isDone()) {
              rowIsWritten.complete(null);
              compacted.join();
            }
            super.reached(point);
          }
        };
    try (Store store = TestStores.open(DIRECTORY, with(), files)) {
      Database rare = store.createDatabase("rare", DatabaseOptions.DEFAULT);
      fill(store.database(), 0, 1000, 1);
      store.flush();
      var unused =
          CompletableFuture.runAsync(store.database()::compact)
              .whenComplete((done, failure) -> compacted.complete(null));
      chosen.join();
      flushRow(store, rare);
    }
    assertRowIsMadeAgain();
  }

  /** Writes without log would be lost with what they were flushed to. */
  @Test
  void writesWithoutLogAreLogged() {
    try (Store store = open(with())) {
      for (int i = 0; i < 500; i++) {
        store.database().put(key(i), value(i, 1), WriteOptions.UNLOGGED);
      }
      store.flush();
      assertThat(ssts(FAST)).isNotEmpty();
    }
    empty(disk.fileSystem());
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 500, 1));
    }
  }

  /** What is not synced when the power fails is lost from its end only. */
  @Test
  void nothingThatWasAcknowledgedIsLost() {
    long seed = Long.getLong("sifr.crash.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Map<String, String> expected = new TreeMap<>();
    for (int round = 0; round < Integer.getInteger("sifr.volatile.rounds", 40); round++) {
      try {
        Store store = open(random.nextBoolean() ? with() : small());
        assertThat(content(store.database())).isEqualTo(expected);
        write(store, expected, random);
        killAndEmpty(random);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("round " + round + ", seed " + seed, e);
      }
    }
  }

  /** Ends with a sync or a flush. */
  private static void write(Store store, Map<String, String> expected, Random random) {
    Database database = store.database();
    for (int i = 20 + random.nextInt(1500); i > 0; i--) {
      int number = random.nextInt(3000);
      String key = new String(key(number), UTF_8);
      int choice = random.nextInt(1000);
      if (choice < 200) {
        database.delete(key(number));
        expected.remove(key);
      } else if (choice < 205) {
        int end = number + random.nextInt(200);
        database.deleteRange(KeyRange.between(key(number), key(end)));
        for (int gone = number; gone < end; gone++) {
          expected.remove(new String(key(gone), UTF_8));
        }
      } else if (choice < 207) {
        store.flush();
      } else if (choice < 208) {
        database.compact();
      } else {
        byte[] value = value(number, i);
        database.put(key(number), value);
        expected.put(key, new String(value, UTF_8));
      }
    }
    if (random.nextBoolean()) {
      store.sync();
    } else {
      store.flush();
    }
  }

  @Test
  void withoutSpaceItIsNotOpenedAndNothingIsLost() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    empty(disk.fileSystem());
    disk.setCapacity(disk.usedBytes() + (16 << 10));
    assertThatThrownBy(() -> open(with())).isInstanceOf(StoreFullException.class);
    disk.setCapacity(Long.MAX_VALUE);
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  /** What the log had failed to keep is not written to where it may be lost. */
  @Test
  void afterAFailureOfTheLogFlushesGoToTheStoresDirectory() {
    FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
    StoreOptions options =
        without().logSegmentBytes(4096).fastDirectory(FAST).fastIsVolatile(true).build();
    Store store = TestStores.open(DIRECTORY, options, files);
    fill(store.database(), 0, 1000, 1);
    store.flush();
    fill(store.database(), 1000, 1160, 1); // in several segments, and in memory
    List<Long> rows = ssts(FAST);
    files.failForGood(Operation.SYNC, path -> path.toString().endsWith(".wal"), 1, Fault.EIO);
    assertThatThrownBy(() -> store.database().put(key(1160), value(1160, 1), WriteOptions.SYNC))
        .isInstanceOf(RuntimeException.class);
    store.close();
    assertThat(ssts(FAST)).isSubsetOf(rows);
    empty(disk.fileSystem());
    try (Store again = open(with())) {
      assertThat(content(again.database())).containsAllEntriesOf(filled(0, 1160, 1));
    }
  }

  @Test
  void whatIsInItSaysWhetherItMayBeLost() {
    StoreOptions lasting = without().fastDirectory(FAST).build();
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    assertThatThrownBy(() -> open(lasting))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("fastIsVolatile=true; to change that, open the store without");
    try (Store store = open(without().build())) {
      store.database().compact();
    }
    try (Store store = open(lasting)) {
      fill(store.database(), 0, 1000, 2);
    }
    assertThatThrownBy(() -> open(with()))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("fastIsVolatile=false");
  }

  /** Who only reads cannot make anything. */
  @Test
  void aReaderIsToldToOpenTheStore() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    disk.fileSystem().delete(FileKind.SST.path(FAST, ssts(FAST).get(0)));
    assertThatThrownBy(() -> TestStores.openReadOnly(DIRECTORY, with(), disk.fileSystem()))
        .isInstanceOf(SifrException.class)
        .hasMessageContaining("open the store for writing, which makes them again");
    empty(disk.fileSystem());
    assertThatThrownBy(() -> TestStores.openReadOnly(DIRECTORY, with(), disk.fileSystem()))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("open the store for writing, which makes them again");
  }

  @Test
  void oneInMemoryIsAllowed() {
    StoreFileSystem inMemory =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public boolean isVolatile(Path directory) {
            return directory.equals(FAST);
          }
        };
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> TestStores.open(DIRECTORY, without().fastDirectory(FAST).build(), inMemory))
        .withMessageEndingWith(
            "allowed: one whose files survive a power failure, or any with fastIsVolatile");
    TestStores.open(DIRECTORY, with(), inMemory).close();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                TestStores.open(
                    Path.of("/other"), without().coldDirectory(FAST).build(), inMemory));
  }
}
