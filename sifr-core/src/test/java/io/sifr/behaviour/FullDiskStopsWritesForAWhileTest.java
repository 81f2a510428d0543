package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.event.Metric;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FullDiskStopsWritesForAWhileTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(2);

  private static final StoreOptions OPTIONS =
      SmallStores.options().writeBufferBytes(8 << 10).build();

  private final FaultyFileSystem disk =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
  @TempDir Path directory;

  /** Writes until the store refuses; returns the first key that was not acknowledged. */
  private static int fillUntilRefused(Database database, int from) {
    for (int i = from; i < from + 10_000; i++) {
      try {
        database.put(key(i), value(i, 1));
      } catch (StoreFullException e) {
        return i;
      }
    }
    throw new AssertionError("a full disk takes everything");
  }

  private static boolean isTaken(Database database, int number) {
    try {
      database.put(key(number), value(number, 1));
      return true;
    } catch (StoreFullException e) {
      return false;
    }
  }

  /** A merge that met the full disk may tell so when flushes have space again. */
  private static boolean hasCaughtUp(Store store) {
    try {
      store.awaitIdle();
      return true;
    } catch (StoreFullException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"CREATE", "APPEND"})
  void whenSstsCannotBeWritten(Operation operation) {
    int refused;
    try (Store store = TestStores.open(directory, OPTIONS, TUNING, disk)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 200, 1);
      disk.failForGood(operation, file -> file.toString().endsWith(".sst"), 1, Fault.ENOSPC);
      int first = fillUntilRefused(database, 200);
      assertThat(SmallStores.content(database))
          .containsAllEntriesOf(SmallStores.filled(0, first, 1));
      assertThatThrownBy(store::flush).isInstanceOf(StoreFullException.class);
      disk.heal();
      refused = first + 100;
      for (int i = first; i < refused; i++) {
        int next = i;
        Waiting.until("write " + i + " is taken", () -> isTaken(database, next));
      }
      Waiting.until("the background work has caught up", () -> hasCaughtUp(store));
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused, 1));
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, refused, 1));
    }
  }

  @Test
  void whenTheLogCannotGrow() {
    int refused;
    // A flush would give the log segments to use again.
    StoreOptions unflushed = SmallStores.options().writeBufferBytes(8 << 20).build();
    try (Store store = TestStores.open(directory, unflushed, TUNING, disk)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 10, 1);
      disk.failForGood(Operation.APPEND, file -> file.toString().contains(".wal"), 1, Fault.ENOSPC);
      disk.failForGood(Operation.CREATE, file -> file.toString().endsWith(".sst"), 1, Fault.ENOSPC);
      refused = fillUntilRefused(database, 10);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused, 1));
      disk.heal();
      assertThat(isTaken(database, refused)).isTrue();
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, refused + 1, 1));
    }
  }

  @Test
  void aStoreClosedOnAFullDiskKeepsWhatWasLogged() {
    Store store = TestStores.open(directory, OPTIONS, TUNING, disk);
    SmallStores.fill(store.database(), 0, 30, 1);
    disk.failForGood(Operation.CREATE, file -> file.toString().endsWith(".sst"), 1, Fault.ENOSPC);
    store.close();
    disk.heal();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 30, 1));
    }
  }

  /** Unlike what was logged, it would be lost. */
  @Test
  void aStoreIsNotClosedQuietlyWhenWhatIsNotLoggedCannotBeFlushed() {
    Store store = TestStores.open(directory, OPTIONS, TUNING, disk);
    store.database().put(key(1), value(1, 1), WriteOptions.UNLOGGED);
    disk.failForGood(Operation.CREATE, file -> file.toString().endsWith(".sst"), 1, Fault.ENOSPC);
    assertThatThrownBy(store::close).isInstanceOf(StoreFullException.class);
  }

  private interface Call {
    void on(Store store);
  }

  /** With space again a call does not fail because of what was before, however soon it is made. */
  @Test
  void explicitCallsTryThemselves() {
    List<Call> calls =
        List.of(
            Store::flush,
            store -> store.database().compact(),
            store -> store.database().compact(KeyRange.all()),
            Store::awaitIdle,
            Store::close);
    for (int i = 0; i < calls.size(); i++) {
      try (Store store = TestStores.open(directory.resolve("store" + i), OPTIONS, TUNING, disk)) {
        SmallStores.fill(store.database(), 0, 30, 1);
        disk.failForGood(Operation.CREATE, path -> isSst(path), 1, Fault.ENOSPC);
        assertThatThrownBy(store::flush).isInstanceOf(StoreFullException.class);
        disk.heal();
        calls.get(i).on(store);
      }
    }
  }

  private static boolean isSst(Path file) {
    return file.toString().endsWith(".sst");
  }

  @Test
  void explicitCallsTryMergesThemselves() {
    try (Store store = TestStores.open(directory, OPTIONS, TUNING, disk)) {
      store.pauseCompactions();
      for (int i = 0; i < 10; i++) {
        SmallStores.fill(store.database(), 0, 30, i);
        store.flush();
      }
      disk.failForGood(Operation.CREATE, path -> isSst(path), 1, Fault.ENOSPC);
      store.resumeCompactions();
      assertThatThrownBy(store::awaitIdle).isInstanceOf(StoreFullException.class);
      disk.heal();
      store.awaitIdle();
    }
  }

  /** However often it is called: else each call would leave a write buffer. */
  @Test
  void flushesOnAFullDiskLeaveOneWriteBuffer() {
    try (Store store = TestStores.open(directory, OPTIONS, TUNING, disk)) {
      disk.failForGood(Operation.CREATE, path -> isSst(path), 1, Fault.ENOSPC);
      for (int i = 0; i < 10; i++) {
        store.database().put(key(i), value(i, 1));
        assertThatThrownBy(store::flush).isInstanceOf(StoreFullException.class);
      }
      assertThat(store.statistics().get(Metric.FULL_WRITE_BUFFERS)).isEqualTo(1);
      disk.heal();
      store.flush();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 10, 1));
    }
  }

  /** Deletes go on when puts are refused: they may be what makes space. */
  @Test
  void deletesAreTakenWhenWriteBuffersAreFull() {
    try (Store store = TestStores.open(directory, OPTIONS, TUNING, disk)) {
      Database database = store.database();
      disk.failForGood(Operation.CREATE, path -> isSst(path), 1, Fault.ENOSPC);
      int refused = fillUntilRefused(database, 0);
      for (int i = 0; i < refused - 1; i++) {
        database.delete(key(i));
      }
      assertThat(SmallStores.content(database))
          .isEqualTo(SmallStores.filled(refused - 1, refused, 1));
      disk.heal();
      store.flush();
      assertThat(SmallStores.content(database))
          .isEqualTo(SmallStores.filled(refused - 1, refused, 1));
    }
  }

  /** It takes writes, and needs its part of the log, until there is space for the edit. */
  @Test
  void aDatabaseThatCouldNotBeDroppedIsWhole() {
    try (Store store = TestStores.open(directory, OPTIONS, TUNING, disk)) {
      for (int i = 0; i < 20; i++) {
        SmallStores.fill(store.openOrCreateDatabase("small" + i), 0, 10, 1);
      }
      disk.failForGood(
          Operation.CREATE, file -> file.toString().endsWith(".manifest"), 1, Fault.ENOSPC);
      useUpTheManifest(store);
      String name = dropUntilRefused(store);
      disk.heal();
      Database database = store.database(name);
      SmallStores.fill(store.database(), 0, 500, 1);
      SmallStores.fill(database, 10, 20, 1);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 20, 1));
      store.dropDatabase(name);
      assertThat(store.databaseNames()).doesNotContain(name);
    }
  }

  /**
   * As Btrfs does: the manifest before is continued, and a new one is begun when there is space.
   */
  @Test
  void aManifestThatCannotBeNamedWithoutSpaceStopsNothingForGood() {
    try (Store store = TestStores.open(directory, OPTIONS, disk)) {
      SmallStores.fill(store.database(), 0, 10, 1);
      disk.failForGood(
          Operation.RENAME, file -> file.toString().contains("CURRENT"), 1, Fault.ENOSPC);
      useUpTheManifest(store);
      SmallStores.fill(store.database(), 10, 20, 1);
      disk.heal();
      store.flush();
      var unused = store.openOrCreateDatabase("later");
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 20, 1));
    }
    assertThat(SmallStores.files(directory, ".manifest")).hasSize(1);
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.databaseNames()).contains("later");
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 20, 1));
    }
  }

  /** A file system that copies on write needs space to write into what is reserved. */
  @Test
  void aManifestThatCannotBeOverwrittenWithoutSpaceStopsNothingForGood() {
    try (Store store = TestStores.open(directory, OPTIONS, disk)) {
      SmallStores.fill(store.database(), 0, 10, 1);
      disk.failForGood(Operation.WRITE, file -> isManifest(file), 1, Fault.ENOSPC);
      disk.failForGood(Operation.CREATE, file -> isManifest(file), 1, Fault.ENOSPC);
      for (int i = 0; i < 3; i++) {
        String name = "refused" + i;
        assertThatThrownBy(() -> store.openOrCreateDatabase(name))
            .isInstanceOf(StoreFullException.class);
      }
      SmallStores.fill(store.database(), 10, 20, 1);
      disk.heal();
      store.flush();
      var unused = store.openOrCreateDatabase("later");
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 20, 1));
    }
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.databaseNames()).containsExactlyInAnyOrder("default", "later");
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 20, 1));
    }
  }

  private static boolean isManifest(Path file) {
    return file.toString().endsWith(".manifest");
  }

  /** After the rename it may be undone, and no sync tells whether it was. */
  @Test
  void aManifestWhoseNameCannotBeSyncedWithoutSpaceStopsWrites() {
    try (Store store = TestStores.open(directory, OPTIONS, disk)) {
      SmallStores.fill(store.database(), 0, 10, 1);
      assertThatThrownBy(
              () -> {
                // The first sync of the directory is that of the new manifest's own name.
                disk.failForGood(Operation.SYNC_DIRECTORY, file -> isRenamed(), 1, Fault.ENOSPC);
                useUpTheManifest(store);
              })
          .isInstanceOf(StoreFailedException.class);
      disk.heal();
      assertThatThrownBy(() -> store.database().put(key(1), value(1, 2)))
          .isInstanceOf(StoreFailedException.class);
    }
  }

  private boolean isRenamed() {
    return SmallStores.files(directory, ".manifest").size() == 2
        && SmallStores.files(directory, "CURRENT.tmp").size() == 1;
  }

  /** The first of the small databases that could not be dropped. */
  private static String dropUntilRefused(Store store) {
    for (int i = 0; i < 20; i++) {
      try {
        store.dropDatabase("small" + i);
      } catch (StoreFullException e) {
        return "small" + i;
      }
    }
    throw new AssertionError("the manifest never fills");
  }

  /** Creates and drops databases until there is no room for an edit. */
  private static void useUpTheManifest(Store store) {
    for (int i = 0; i < 100_000; i++) {
      String name = "n".repeat(200) + i;
      try {
        var unused = store.openOrCreateDatabase(name);
        store.dropDatabase(name);
      } catch (StoreFullException e) {
        return;
      }
    }
    throw new AssertionError("the manifest never fills");
  }
}
