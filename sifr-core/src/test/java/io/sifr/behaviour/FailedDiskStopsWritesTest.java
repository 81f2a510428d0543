package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes are refused with the first cause until the store is reopened; reads go on. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailedDiskStopsWritesTest {
  private final FaultyFileSystem disk =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"WRITE", "SYNC"})
  void whenTheManifestFails(Operation operation) {
    Store store = TestStores.open(directory, SmallStores.options().build(), disk);
    Database database = store.database();
    SmallStores.fill(database, 0, 100, 1);
    disk.failOnce(operation, file -> file.toString().endsWith(".manifest"), 1, Fault.EIO);
    assertThatThrownBy(store::flush).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> database.put(key(100), value(100, 1)))
        .isInstanceOf(StoreFailedException.class)
        .hasRootCauseMessage("Input/output error")
        .hasMessageContaining(directory.toString());
    assertThatThrownBy(() -> store.openOrCreateDatabase("x"))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::awaitIdle).isInstanceOf(StoreFailedException.class);
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 100, 1));
    store.close();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 100, 1));
      SmallStores.fill(again.database(), 100, 200, 1);
    }
  }

  /** I4: what a merge has read stays until the edit that makes it unneeded is durable. */
  @Test
  void whenTheManifestFailsAfterAMerge() {
    Store store = TestStores.open(directory, SmallStores.options().build(), disk);
    Database database = store.database();
    SmallStores.fill(database, 0, 300, 1);
    store.flush();
    store.awaitIdle();
    List<Path> before = SmallStores.files(directory, ".sst");
    disk.failOnce(Operation.WRITE, file -> file.toString().endsWith(".manifest"), 1, Fault.EIO);
    assertThatThrownBy(database::compact).isInstanceOf(StoreIoException.class);
    assertThat(SmallStores.files(directory, ".sst")).containsAll(before);
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 300, 1));
    assertThatThrownBy(() -> database.put(key(1), value(1, 2)))
        .isInstanceOf(StoreFailedException.class);
    store.close();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 300, 1));
    }
  }

  @Test
  void whenTheLogCannotBeSynced() {
    Store store = TestStores.open(directory, SmallStores.options().build(), disk);
    Database database = store.database();
    SmallStores.fill(database, 0, 50, 1);
    disk.failOnce(Operation.FORCE, file -> file.toString().endsWith(".wal"), 1, Fault.EIO);
    assertThatThrownBy(() -> database.put(key(50), value(50, 1), WriteOptions.SYNC))
        .isInstanceOf(StoreFailedException.class);
    for (Durability durability : Durability.values()) {
      assertThatThrownBy(() -> database.put(key(51), value(51, 1), WriteOptions.of(durability)))
          .isInstanceOf(StoreFailedException.class)
          .hasRootCauseInstanceOf(java.io.IOException.class);
    }
    assertThatThrownBy(store::sync).isInstanceOf(StoreFailedException.class);
    assertThat(SmallStores.content(database)).containsAllEntriesOf(SmallStores.filled(0, 50, 1));
    assertThat(database.contains(key(51))).isFalse();
    store.close();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database()))
          .containsAllEntriesOf(SmallStores.filled(0, 50, 1));
      assertThat(again.database().contains(key(51))).isFalse();
    }
  }

  @Test
  void whenTheLogCannotBeWritten() {
    StoreOptions options = SmallStores.options().logAccess(LogAccess.WRITTEN).build();
    Store store = TestStores.open(directory, options, disk);
    Database database = store.database();
    SmallStores.fill(database, 0, 50, 1);
    disk.failOnce(Operation.WRITE, file -> file.toString().endsWith(".wal"), 1, Fault.EIO);
    for (Durability durability :
        List.of(Durability.BUFFERED, Durability.NONE, Durability.BUFFERED, Durability.SYNC)) {
      assertThatThrownBy(() -> database.put(key(50), value(50, 1), WriteOptions.of(durability)))
          .isInstanceOf(StoreFailedException.class)
          .hasRootCauseMessage("Input/output error");
    }
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 50, 1));
    store.close();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 50, 1));
    }
  }

  /** The system may drop pages it could not write: what was acknowledged must not need the log. */
  @Test
  void whatWasAcknowledgedBeforeTheLogFailedIsFlushedAndNeedsItNoMore() {
    Store store = TestStores.open(directory, SmallStores.options().build(), disk);
    SmallStores.fill(store.database(), 0, 50, 1);
    disk.failForGood(Operation.FORCE, file -> file.toString().endsWith(".wal"), 1, Fault.EIO);
    assertThatThrownBy(store::sync).isInstanceOf(StoreFailedException.class);
    store.close();
    SmallStores.files(directory, ".wal").forEach(new DiskFileSystem()::delete);
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 50, 1));
    }
  }
}
