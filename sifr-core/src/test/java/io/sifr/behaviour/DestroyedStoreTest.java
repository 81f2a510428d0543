package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.error.StoreLockedException;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store is deleted, all of it, and nothing else. */
class DestroyedStoreTest {
  private static final Path ON_DISK_OF_TEST = Path.of("/store");

  @TempDir Path parent;

  private Path directory() {
    return parent.resolve("store");
  }

  private static void fill(Store store) {
    SmallStores.fill(store.database(), 0, 3000, 1);
    store.flush();
    SmallStores.fill(store.database(), 0, 10, 2);
  }

  @Test
  void nothingIsLeft() {
    assertThat(Store.exists(directory())).isFalse();
    assertThatNoException().isThrownBy(() -> Store.destroy(directory()));
    try (Store store = SmallStores.open(directory())) {
      fill(store);
      assertThat(Store.exists(directory())).isTrue();
    }
    assertThat(Store.exists(directory())).isTrue();
    Store.destroy(directory());
    assertThat(Store.exists(directory())).isFalse();
    assertThat(directory()).doesNotExist();
    try (Store store = SmallStores.open(directory())) {
      assertThat(store.database().get(SmallStores.key(1))).isNull();
    }
  }

  @Test
  void whatIsNotOfTheStoreStays() throws IOException {
    try (Store store = SmallStores.open(directory())) {
      fill(store);
    }
    Path other = Files.writeString(directory().resolve("notes.txt"), "not ours");
    Store.destroy(directory());
    assertThat(directory()).isDirectoryContaining(other::equals);
    assertThat(directory().toFile().list()).containsExactly("notes.txt");
    Store.destroy(directory());
    assertThat(other).hasContent("not ours");
  }

  /** The link, and the directory that it names, were made by somebody else. */
  @Test
  void aLinkedDirectoryStays() throws IOException {
    Path real = Files.createDirectory(directory().resolveSibling("real"));
    Path link = Files.createSymbolicLink(directory().resolveSibling("link"), real);
    try (Store store = SmallStores.open(link)) {
      fill(store);
    }
    Store.destroy(link);
    assertThat(real).isEmptyDirectory();
    assertThat(link).isSymbolicLink();
    SmallStores.open(link).close();
    Store.destroy(link);
  }

  /** It may be salvaged. */
  @Test
  void aStoreOfThatNameThatLostItsCurrentStays() throws IOException {
    Path other = directory().resolveSibling(directory().getFileName() + ".unfinished");
    try (Store store = SmallStores.open(other)) {
      fill(store);
    }
    Files.delete(other.resolve("CURRENT"));
    Store.destroy(directory());
    try (Store store = SmallStores.open(directory())) {
      fill(store);
    }
    Store.destroy(directory());
    assertThat(other.toFile().list()).anyMatch(name -> name.endsWith(".sst"));
  }

  @Test
  void aFileIsNoStore() throws IOException {
    Path file = Files.writeString(directory().resolveSibling("file"), "text");
    assertThat(Store.exists(file)).isFalse();
    Store.destroy(file);
    assertThat(file).hasContent("text");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Store.builder(file).openReadOnly())
        .withMessageContaining("holds no store");
  }

  @Test
  void oneThatIsOpenIsNotDeleted() {
    try (Store store = SmallStores.open(directory())) {
      fill(store);
      assertThatExceptionOfType(StoreLockedException.class)
          .isThrownBy(() -> Store.destroy(directory()));
      assertThat(store.database().get(SmallStores.key(1))).isNotNull();
      assertThat(store.database().count(KeyRange.all())).isEqualTo(3000);
    }
  }

  /** After a crash it is there, or gone, or cannot be opened; and can be deleted again. */
  @Test
  void afterACrashItIsWholeOrNoStore() {
    CrashDisk disk = CrashDisk.with(ON_DISK_OF_TEST);
    try (Store store = TestStores.open(ON_DISK_OF_TEST, StoreOptions.DEFAULT, disk.fileSystem())) {
      fill(store);
    }
    List<FrozenDisk> moments = new ArrayList<>();
    disk.watch((call, moment) -> moments.add(disk.freeze()));
    TestStores.destroy(ON_DISK_OF_TEST, disk.fileSystem());
    disk.watch((call, moment) -> {});
    Random random = new Random(7);
    int whole = 0;
    for (FrozenDisk moment : moments) {
      List<CrashDisk> crashed = new ArrayList<>();
      crashed.add(moment.kill());
      for (int i = 0; i < 12; i++) {
        crashed.add(moment.crash(random));
      }
      for (CrashDisk left : crashed) {
        StoreFileSystem files = left.fileSystem();
        boolean isThere = files.exists(ON_DISK_OF_TEST);
        try (Store store = TestStores.open(ON_DISK_OF_TEST, StoreOptions.DEFAULT, files)) {
          long count = store.database().count(KeyRange.all());
          assertThat(count).as("%s", files.list(ON_DISK_OF_TEST)).isEqualTo(isThere ? 3000 : 0);
          whole += count > 0 ? 1 : 0;
        } catch (CorruptionException e) {
          assertThat(e).hasMessageContaining("was not finished; repeat it");
        }
        TestStores.destroy(ON_DISK_OF_TEST, files);
        assertThat(TestStores.exists(ON_DISK_OF_TEST, files)).isFalse();
        TestStores.destroy(ON_DISK_OF_TEST, files);
        assertThat(files.list(ON_DISK_OF_TEST.getRoot())).isEmpty();
      }
    }
    assertThat(whole).isPositive();
  }

  /** As a mount point: what is left of the store is marked as long as there is anything. */
  @Test
  void oneWhoseDirectoryCannotBeRenamedIsMarkedToTheEnd() {
    CrashDisk disk = CrashDisk.with(ON_DISK_OF_TEST);
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void rename(Path source, Path target) {
            if (source.equals(ON_DISK_OF_TEST)) {
              throw new StoreIoException(source, "rename", new IOException("Resource busy"));
            }
            super.rename(source, target);
          }
        };
    try (Store store = TestStores.open(ON_DISK_OF_TEST, StoreOptions.DEFAULT, files)) {
      fill(store);
    }
    List<FrozenDisk> moments = new ArrayList<>();
    disk.watch((call, moment) -> moments.add(disk.freeze()));
    TestStores.destroy(ON_DISK_OF_TEST, files);
    disk.watch((call, moment) -> {});
    assertThat(files.exists(ON_DISK_OF_TEST)).isFalse();
    for (FrozenDisk moment : moments) {
      StoreFileSystem left = moment.kill().fileSystem();
      if (left.exists(ON_DISK_OF_TEST)) {
        List<String> names = left.list(ON_DISK_OF_TEST);
        assertThat(names.isEmpty() || names.contains("CURRENT") || names.contains("UNFINISHED"))
            .as("%s", names)
            .isTrue();
      }
    }
  }

  @Test
  void afterAFailureItCanBeDeletedAgain() {
    for (Operation operation :
        List.of(Operation.DELETE, Operation.SYNC_DIRECTORY, Operation.CREATE, Operation.LIST)) {
      boolean failed = true;
      for (int nth = 1; failed; nth++) {
        CrashDisk disk = CrashDisk.with(ON_DISK_OF_TEST);
        FaultyFileSystem faulty = new FaultyFileSystem(disk.fileSystem());
        LeakCountingFileSystem files = new LeakCountingFileSystem(faulty);
        try (Store store = TestStores.open(ON_DISK_OF_TEST, StoreOptions.DEFAULT, files)) {
          fill(store);
        }
        faulty.failOnce(operation, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
        failed = false;
        try {
          TestStores.destroy(ON_DISK_OF_TEST, files);
        } catch (SifrException e) {
          failed = true;
          faulty.heal();
          TestStores.destroy(ON_DISK_OF_TEST, files);
        }
        assertThat(TestStores.exists(ON_DISK_OF_TEST, files)).isFalse();
        files.assertNothingOpen();
      }
    }
  }
}
