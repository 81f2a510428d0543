package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OpeningNeedsADirectoryTest {
  private static final StoreOptions ONLY_EXISTING =
      SmallStores.options().createIfMissing(false).build();

  @TempDir Path directory;

  @Test
  void nothingIsMadeWhereNothingShallBeMade() {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> Store.open(missing, ONLY_EXISTING))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(missing + " holds no store");
    assertThat(missing).doesNotExist();
    assertThatThrownBy(() -> Store.open(directory, ONLY_EXISTING))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void existingStoreIsOpened() {
    SmallStores.open(directory).close();
    SmallStores.open(directory, ONLY_EXISTING).close();
  }

  @Test
  void parentsAreMadeToo() {
    Path deep = directory.resolve("a").resolve("b");
    SmallStores.open(deep).close();
    assertThat(deep).isNotEmptyDirectory();
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "text");
    assertThatThrownBy(() -> Store.open(file))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining(file.toString());
    assertThatThrownBy(() -> Store.open(file, ONLY_EXISTING))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasContent("text");
  }

  /** Whatever the platform refuses, for want of rights for instance: nothing stays locked. */
  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"CREATE_DIRECTORIES", "LIST", "CREATE", "APPEND", "SYNC", "RENAME", "LOCK"})
  void aRefusalIsToldAndLeavesTheDirectoryUsable(Operation operation) {
    SmallStores.open(directory).close();
    FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
    faulty.failForGood(operation, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    assertThatThrownBy(() -> TestStores.open(directory, ONLY_EXISTING, faulty))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining(directory.toString());
    SmallStores.open(directory, ONLY_EXISTING).close();
  }

  @Test
  void aFullDiskAtOpeningLosesNothing() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      SmallStores.fill(store.database(), 0, 100, 1);
      SmallStores.copy(store.directory(), crashed);
    }
    FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
    for (int appends = 1; appends < 3; appends++) {
      Path copy = directory.resolve("copy-" + appends);
      SmallStores.copy(crashed, copy);
      faulty.failForGood(Operation.APPEND, FaultyFileSystem.ANY_PATH, appends, Fault.ENOSPC);
      try (Store store = TestStores.open(copy, ONLY_EXISTING, faulty)) {
        assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 100, 1));
      }
      faulty.heal();
      try (Store store = TestStores.open(copy, ONLY_EXISTING, faulty)) {
        assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 100, 1));
      }
    }
  }
}
