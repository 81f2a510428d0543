package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What failed before anything of it was committed is tried again until it has passed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PassingFailureIsTriedAgainTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(2);

  private static final StoreOptions OPTIONS =
      SmallStores.options().writeBufferBytes(8 << 10).build();

  private final FaultyFileSystem disk =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
  @TempDir Path directory;

  private final List<StoreListener.FailureEvent> failures = new CopyOnWriteArrayList<>();

  private final StoreListener listener =
      new StoreListener() {
        @Override
        public void failed(FailureEvent event) {
          failures.add(event);
        }
      };

  private Store open(StoreOptions options) {
    return TestStores.open(directory, options, TUNING, disk, listener);
  }

  /** Lets the next three such calls fail. */
  private void failThrice(Operation operation, Predicate<Path> path, Fault fault) {
    for (int i = 0; i < 3; i++) {
      disk.failOnce(operation, path, 1, fault);
    }
  }

  private void assertNoOrphans(Store store) {
    assertThat(SmallStores.files(directory, ".sst"))
        .as("files of failed attempts are deleted")
        .hasSize((int) store.statistics().get(Metric.SSTS));
  }

  @ParameterizedTest
  @CsvSource({
    "CREATE, EMFILE",
    "APPEND, EIO",
    "SYNC, EIO",
    "CLOSE, EIO",
    "MAP_FOR_READ, EMFILE",
    "SYNC_DIRECTORY, EMFILE"
  })
  void flushesFailThriceAndThenSucceed(Operation operation, Fault fault) {
    try (Store store = open(OPTIONS)) {
      Database database = store.database();
      store.pauseCompactions();
      SmallStores.fill(database, 0, 20, 1);
      Predicate<Path> path =
          operation == Operation.SYNC_DIRECTORY
              ? FaultyFileSystem.ANY_PATH
              : PassingFailureIsTriedAgainTest::isSst;
      failThrice(operation, path, fault);
      store.flush();
      SmallStores.fill(database, 20, 300, 1);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 300, 1));
      assertThat(failures)
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.work()).isEqualTo("flush");
                assertThat(event.cause()).isInstanceOf(StoreIoException.class);
              });
      store.flush();
      assertNoOrphans(store);
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 300, 1));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CREATE, EMFILE",
    "APPEND, EIO",
    "SYNC, EIO",
    "MAP_FOR_READ, EMFILE",
    "SYNC_DIRECTORY, EMFILE"
  })
  void mergesFailThriceAndThenSucceed(Operation operation, Fault fault) {
    try (Store store = open(OPTIONS)) {
      Database database = store.database();
      fourTrees(store, database);
      Predicate<Path> path =
          operation == Operation.SYNC_DIRECTORY
              ? FaultyFileSystem.ANY_PATH
              : PassingFailureIsTriedAgainTest::isSst;
      failThrice(operation, path, fault);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(database.forest().trees()).isLessThan(4);
      assertThat(failures)
          .singleElement()
          .satisfies(event -> assertThat(event.work()).isEqualTo("compaction"));
      SmallStores.fill(database, 0, 300, 5);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 300, 5));
      store.flush();
      store.awaitIdle();
      Waiting.until(
          "files of failed attempts are deleted",
          () -> SmallStores.files(directory, ".sst").size() == store.statistics().get(Metric.SSTS));
    }
  }

  /** Makes four trees of stage 1, which are due to be merged and are not yet. */
  private static void fourTrees(Store store, Database database) {
    store.pauseCompactions();
    for (int version = 1; version <= 4; version++) {
      SmallStores.fill(database, 0, 40, version);
      store.flush();
    }
    assertThat(database.forest().trees()).isEqualTo(4);
  }

  /** The old manifest is as it was, and has room for a while. */
  @ParameterizedTest
  @ValueSource(strings = {"CREATE", "OPEN_FOR_READ", "OPEN_FOR_WRITE", "SYNC_DIRECTORY"})
  void aManifestThatCannotBeOpenedIsBegunLater(Operation operation) {
    List<String> made = new ArrayList<>();
    try (Store store = open(OPTIONS)) {
      store.database().put(key(1), value(1, 1));
      disk.failForGood(
          operation,
          file -> file.equals(directory) || file.toString().contains(".manifest"),
          1,
          Fault.EMFILE);
      assertThatThrownBy(() -> createDatabases(store, made))
          .isInstanceOf(FileNotOpenedException.class)
          .hasRootCauseMessage("Too many open files");
      assertThat(made).isNotEmpty();
      assertThatThrownBy(store::flush).isInstanceOf(FileNotOpenedException.class);
      disk.heal();
      Waiting.until("a flush has succeeded", () -> isFlushed(store));
      assertNoOrphans(store);
      int before = made.size();
      createDatabases(store, made, before + 500);
      store.database("made " + before).put(key(1), value(1, 1));
      store.flush();
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.databaseNames()).containsAll(made);
    }
  }

  @Test
  void aDatabaseThatCannotBeDroppedKeepsItsWrites() {
    List<String> made = new ArrayList<>();
    try (Store store = open(OPTIONS)) {
      store.database().put(key(1), value(1, 1)); // there is a log
      disk.failForGood(
          Operation.CREATE, file -> file.toString().contains(".manifest"), 1, Fault.EMFILE);
      assertThatThrownBy(() -> createDatabases(store, made))
          .isInstanceOf(FileNotOpenedException.class);
      String name = made.get(0);
      store.database(name).put(key(1), value(1, 1));
      assertThatThrownBy(() -> store.dropDatabase(name)).isInstanceOf(FileNotOpenedException.class);
      assertThat(store.databaseNames()).contains(name);
      store.database(name).put(key(2), value(2, 1));
      disk.heal();
      store.database().put(key(1), value(1, 1));
      Waiting.until("a flush has succeeded", () -> isFlushed(store));
      assertThat(store.database(made.get(0)).get(key(2))).isEqualTo(value(2, 1));
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.database(made.get(0)).get(key(1))).isEqualTo(value(1, 1));
    }
  }

  /** Of a failed attempt its exception is thrown until the next one. */
  private static boolean isFlushed(Store store) {
    try {
      store.flush();
      return true;
    } catch (FileNotOpenedException e) {
      return false;
    }
  }

  /** The second time is when CURRENT is about to name the new manifest. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aDirectoryThatCannotBeOpenedOnceHurtsNoManifest(int nth) {
    List<String> made = new ArrayList<>();
    try (Store store = open(OPTIONS)) {
      disk.failOnce(Operation.SYNC_DIRECTORY, directory::equals, nth, Fault.EMFILE);
      createDatabases(store, made, 500);
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.databaseNames()).containsAll(made);
    }
  }

  private static void createDatabases(Store store, List<String> made) {
    createDatabases(store, made, 5_000);
  }

  private static void createDatabases(Store store, List<String> made, int count) {
    while (made.size() < count) {
      String name = "made " + made.size();
      var unused = store.openOrCreateDatabase(name);
      made.add(name);
    }
  }

  private static int fillUntilRefused(Database database) {
    for (int i = 0; i < 10_000; i++) {
      try {
        database.put(key(i), value(i, 1));
      } catch (StoreIoException e) {
        assertThat(e).hasRootCauseMessage("Too many open files").hasMessageContaining(".sst");
        return i;
      }
    }
    throw new AssertionError("writes are taken without end");
  }

  private static boolean isTaken(Database database, int number) {
    try {
      database.put(key(number), value(number, 1));
      return true;
    } catch (StoreIoException e) {
      return false;
    }
  }

  @Test
  void aFailureThatLastsRefusesWritesWithItsCauseUntilItHasPassed() {
    int refused;
    try (Store store = open(OPTIONS)) {
      Database database = store.database();
      disk.failForGood(Operation.CREATE, PassingFailureIsTriedAgainTest::isSst, 1, Fault.EMFILE);
      refused = fillUntilRefused(database);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused, 1));
      disk.heal();
      Waiting.until("a write is taken", () -> isTaken(database, refused));
      SmallStores.fill(database, refused, refused + 300, 1);
      assertThat(failures).hasSize(1);
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database()))
          .isEqualTo(SmallStores.filled(0, refused + 300, 1));
    }
  }

  /** The next sync of it would report success for names that are lost, of other files too. */
  @Test
  void aDirectoryThatCannotBeSyncedIsNotSyncedAgain() {
    Store store = open(OPTIONS);
    Database database = store.database();
    SmallStores.fill(database, 0, 20, 1);
    Waiting.until(
        "the next segment of the log is prepared",
        () -> disk.list(directory).stream().filter(name -> name.endsWith(".wal")).count() == 2);
    disk.failForGood(Operation.SYNC_DIRECTORY, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    assertThatThrownBy(store::flush).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> database.put(key(1), value(1, 2)))
        .isInstanceOf(StoreFailedException.class)
        .hasRootCauseMessage("Input/output error");
    long syncs = disk.calls(Operation.SYNC_DIRECTORY);
    store.close();
    assertThat(disk.calls(Operation.SYNC_DIRECTORY)).isEqualTo(syncs);
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 20, 1));
    }
  }

  @Test
  void anUnreadableInputStopsTheMergesOfItsStageAndNothingElse() {
    StoreOptions options =
        SmallStores.options()
            .writeBufferBytes(8 << 10)
            .readMode(ReadMode.POSITIONAL)
            .blockCacheBytes(0)
            .build();
    try (Store store = open(options)) {
      Database hurt = store.database();
      Database other = store.openOrCreateDatabase("other");
      fourTrees(store, hurt);
      Path unreadable = SmallStores.files(directory, ".sst").get(0);
      fourTrees(store, other);
      disk.failForGood(Operation.READ, unreadable::equals, 1, Fault.EIO);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(other.forest().trees()).as("trees of another database").isLessThan(4);
      assertThat(hurt.forest().trees()).isEqualTo(4);
      assertThat(failures)
          .singleElement()
          .satisfies(
              event ->
                  assertThat(event.cause())
                      .isInstanceOfSatisfying(
                          UnreadableException.class,
                          e -> assertThat(e.file()).isEqualTo(unreadable)));
      SmallStores.fill(hurt, 0, 40, 5);
      store.flush();
      assertThat(SmallStores.content(other)).isEqualTo(SmallStores.filled(0, 40, 4));
      assertThatThrownBy(hurt::compact)
          .isInstanceOf(SifrException.class)
          .hasMessageContaining(unreadable.toString());
      disk.heal();
      hurt.compact();
      assertThat(hurt.forest().trees()).isEqualTo(1);
      assertThat(SmallStores.content(hurt)).isEqualTo(SmallStores.filled(0, 40, 5));
    }
  }

  private static boolean isSst(Path file) {
    return file.toString().endsWith(".sst");
  }
}
