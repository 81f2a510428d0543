package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SideDirectoryException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.Removal;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SimulatedCrash;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flushes write to another device than compactions, and everything finds what is there. */
class RowsLieInAFastDirectoryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private StoreFileSystem files = disk.fileSystem();

  private static StoreOptions.Builder without() {
    return SmallStores.options().fastBytes(256 << 10);
  }

  private static StoreOptions with() {
    return without().fastDirectory(FAST).build();
  }

  private Store open(StoreOptions options) {
    return TestStores.open(DIRECTORY, options, files);
  }

  private Store openReadOnly(StoreOptions options) {
    return TestStores.openReadOnly(DIRECTORY, options, files);
  }

  /** Files that nothing refers to are deleted in the background. */
  private void awaitNoRows() {
    Waiting.until("rows are deleted", () -> ssts(FAST).isEmpty());
  }

  private List<Long> ssts(Path directory) {
    return FileKind.SST.numbersIn(disk.fileSystem(), directory);
  }

  private byte[] read(Path path) {
    try (RandomReadFile file = disk.fileSystem().openForRead(path)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.readFully(bytes, 0);
      return bytes.array();
    }
  }

  private boolean exists(Path directory, String name) {
    return disk.fileSystem().exists(directory.resolve(name));
  }

  /** Readers who have paid for it, or idle time, get one row of many, on the fast device. */
  @Test
  void readersGetOneRowOfMany() {
    StoreOptions options = without().fastBytes(64 << 20).fastDirectory(FAST).build();
    try (Store store =
        TestStores.open(DIRECTORY, options, files, StoreListener.NONE, Extensions.of(options))) {
      Database database = store.database();
      for (int i = 0; i < 8; i++) {
        for (int key = i; key < 1600; key += 8) {
          database.put(SmallStores.key(key), SmallStores.value(key, 1));
        }
        store.flush();
      }
      store.awaitIdle();
      assertThat(database.forest().trees()).isEqualTo(8);
      try (Cursor cursor = database.cursor()) {
        for (int i = 0; i < 100_000 && database.forest().trees() > 1; i++) {
          cursor.seek(SmallStores.key(i % 1600));
          if (i % 500 == 0) {
            store.awaitIdle();
          }
        }
      }
      assertThat(database.forest().trees()).isEqualTo(1);
      assertThat(ssts(DIRECTORY)).isEmpty();
    }
  }

  @Test
  void flushesWriteThereAndCompactionsDoNot() {
    try (Store store = open(with())) {
      Database database = store.database();
      fill(database, 0, 1000, 1);
      store.flush();
      assertThat(ssts(FAST)).isNotEmpty();
      assertThat(ssts(DIRECTORY)).isEmpty();
      fill(database, 500, 6000, 2);
      store.flush();
      store.awaitIdle();
      assertThat(ssts(DIRECTORY)).isNotEmpty();
      database.compact();
      awaitNoRows();
      fill(database, 0, 300, 3);
    }
    try (Store store = open(with())) {
      assertContent(store);
    }
    try (Store store = openReadOnly(with())) {
      assertContent(store);
    }
    try (Store store = open(without().build())) {
      assertContent(store);
    }
  }

  private static void assertContent(Store store) {
    var expected = filled(0, 300, 3);
    expected.putAll(filled(300, 500, 1));
    expected.putAll(filled(500, 6000, 2));
    assertThat(content(store.database())).isEqualTo(expected);
  }

  /** Rows that overlap nothing would be moved by metadata alone, and fill the device for good. */
  @Test
  void ascendingRowsAreWrittenToTheSlowDevice() {
    StoreOptions options = without().fastBytes(1 << 20).fastDirectory(FAST).build();
    try (Store store = open(options)) {
      fill(store.database(), 0, 10_000, 1);
      store.flush();
      store.awaitIdle();
      Waiting.until("it is compacted", () -> bytes(FAST) < 700 << 10);
      store.database().compact();
      awaitNoRows();
      assertThat(content(store.database())).isEqualTo(filled(0, 10_000, 1));
    }
  }

  private long bytes(Path directory) {
    return ssts(directory).stream()
        .mapToLong(number -> disk.fileSystem().size(FileKind.SST.path(directory, number)))
        .sum();
  }

  @Test
  void aStoreThatIsOpenedWithoutOneMovesOut() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    assertThat(ssts(FAST)).isNotEmpty();
    assertThat(exists(DIRECTORY, "FAST")).isTrue();
    try (Store store = open(without().build())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      fill(store.database(), 1000, 2000, 1);
      store.flush();
      store.database().compact();
    }
    assertThat(ssts(FAST)).isEmpty();
    try (Store store = open(without().build())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 2000, 1));
    }
    assertThat(exists(DIRECTORY, "FAST")).isFalse();
    assertThat(disk.fileSystem().list(FAST)).isEmpty();
    try (Store store = open(with())) { // and it can have one again
      assertThat(content(store.database())).isEqualTo(filled(0, 2000, 1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStoreIsNotOpenedWithoutItsRows(boolean isNamed) {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    StoreOptions options = isNamed ? with() : without().build();
    byte[] owner = read(FAST.resolve("OWNER"));
    disk.fileSystem().delete(FAST.resolve("OWNER")); // as if nothing were mounted there
    assertThatThrownBy(() -> open(options))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageStartingWith("/fast cannot be the fast directory of the store in /store: it has")
        .hasMessageContaining("mount it");
    assertThatThrownBy(() -> openReadOnly(options)).isInstanceOf(SideDirectoryException.class);
    try (AppendFile file = disk.fileSystem().create(FAST.resolve("OWNER"))) {
      file.append(owner, 0, owner.length);
    }
    try (Store store = open(options)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  @Test
  void whatBelongsToAnotherStoreIsRefused() {
    Path other = Path.of("/other");
    disk.fileSystem().createDirectories(other);
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    assertThatThrownBy(() -> TestStores.open(other, with(), files))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("it belongs to the store in /store");
    StoreOptions elsewhere = without().fastDirectory(Path.of("/elsewhere")).build();
    TestStores.open(other, elsewhere, files).close();
    assertThatThrownBy(() -> open(elsewhere))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("it belongs to the store in /other, and this one has /fast");
    StoreOptions missing = without().fastDirectory(Path.of("/missing")).build();
    assertThatThrownBy(() -> open(missing))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("there is no such directory, and the store has one, /fast");
    assertThat(exists(Path.of("/"), "missing")).isFalse();
  }

  @Test
  void oneInWhichNothingIsLeftCanBeChanged() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    StoreOptions elsewhere = without().fastDirectory(Path.of("/elsewhere")).build();
    assertThatThrownBy(() -> open(elsewhere)).hasMessageContaining("open the store without one");
    try (Store store = open(without().build())) {
      store.database().compact();
    }
    try (Store store = open(elsewhere)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      fill(store.database(), 0, 1000, 2);
      store.flush();
    }
    assertThat(ssts(Path.of("/elsewhere"))).isNotEmpty();
    assertThat(disk.fileSystem().list(FAST)).isEmpty();
  }

  @Test
  void aDirectoryThatHoldsSomethingIsRefused() {
    disk.fileSystem().createDirectories(FAST);
    disk.fileSystem().create(FAST.resolve("000123.ldb")).close();
    assertThatThrownBy(() -> open(with()))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("it is not empty, there is 000123.ldb");
    assertThat(exists(DIRECTORY, "FAST")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/store", "/store/fast", "/"})
  void oneWithinTheOtherIsRefused(String path) {
    StoreOptions options = without().fastDirectory(Path.of(path)).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(options))
        .withMessageStartingWith("fastDirectory is " + path);
  }

  @Test
  void oneInMemoryIsRefused() {
    files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public boolean isVolatile(Path directory) {
            return true;
          }
        };
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(with()))
        .withMessageContaining("allowed: one whose files survive a power failure");
  }

  @Test
  void aStoreThatWasMovedKeepsIt() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    Path moved = Path.of("/moved");
    disk.fileSystem().rename(DIRECTORY, moved);
    try (Store store = TestStores.open(moved, with(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    Path elsewhere = Path.of("/elsewhere");
    disk.fileSystem().rename(FAST, elsewhere);
    StoreOptions options = without().fastDirectory(elsewhere).build();
    try (Store store = TestStores.open(moved, options, files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    try (Store store = TestStores.openReadOnly(moved, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  @Test
  void oneForWhichThereIsNoSpaceIsLeftOut() {
    try (Store store = open(without().build())) {
      fill(store.database(), 0, 100, 1);
    }
    for (int space = 0; space < 64; space++) {
      CrashDisk full = disk.kill();
      full.setCapacity(full.usedBytes() + 16L * space);
      try (Store store = TestStores.open(DIRECTORY, with(), full.fileSystem())) {
        assertThat(content(store.database())).isEqualTo(filled(0, 100, 1));
      }
      assertThat(full.fileSystem().list(DIRECTORY)).doesNotContain("FAST.tmp");
    }
  }

  @Test
  void whileItIsFullFlushesWriteToTheStoresDirectory() {
    StoreOptions options = without().fastBytes(64 << 10).fastDirectory(FAST).build();
    try (Store store = open(options)) {
      store.pauseCompactions();
      fill(store.database(), 0, 3000, 1);
      store.flush();
      assertThat(bytes(FAST)).isBetween(1L, 64L << 10);
      assertThat(ssts(DIRECTORY)).isNotEmpty();
      assertThat(content(store.database())).isEqualTo(filled(0, 3000, 1));
      store.resumeCompactions();
      store.database().compact();
      assertThat(content(store.database())).isEqualTo(filled(0, 3000, 1));
    }
  }

  @Test
  void whileItFailsFlushesWriteToTheStoresDirectory() {
    AtomicBoolean fails = new AtomicBoolean();
    files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public AppendFile create(Path file) {
            if (fails.get() && file.startsWith(FAST)) {
              throw new StoreIoException(file, "write", new IOException("broken"));
            }
            return super.create(file);
          }
        };
    try (Store store = open(with())) {
      fill(store.database(), 0, 300, 1);
      store.flush();
      fails.set(true);
      fill(store.database(), 300, 600, 1);
      try {
        store.flush();
      } catch (StoreIoException e) {
        assertThat(e).hasMessageContaining("broken");
        store.flush(); // to the store's
      }
      assertThat(ssts(FAST)).isNotEmpty();
      assertThat(ssts(DIRECTORY)).isNotEmpty();
      fill(store.database(), 600, 900, 1);
    }
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 900, 1));
    }
  }

  /** A new manifest is begun while a row is there whose name cannot be made durable. */
  @Test
  void whileItFailsTheManifestGoesOn() {
    AtomicBoolean hasBegun = new AtomicBoolean();
    List<Store> opened = new ArrayList<>();
    files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == OutputCrashPoint.FLUSH_SSTS_SYNCED
                && hasBegun.compareAndSet(false, true)) {
              assertThat(ssts(FAST)).isNotEmpty();
              CompletableFuture.runAsync(() -> beginManifest(opened.get(0))).join();
            }
          }

          @Override
          public void syncDirectory(Path synced) {
            if (hasBegun.get() && synced.equals(FAST)) {
              throw new StoreIoException(synced, "sync", new IOException("it is gone"));
            }
            super.syncDirectory(synced);
          }
        };
    try (Store store = open(with())) {
      opened.add(store);
      fill(store.database(), 0, 100, 1);
      store.flush();
      assertThat(hasBegun).isTrue();
      awaitNoRows();
      fill(store.database(), 100, 200, 1);
    }
    files = disk.fileSystem();
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 200, 1));
    }
  }

  private void beginManifest(Store store) {
    List<Long> before = FileKind.MANIFEST.numbersIn(disk.fileSystem(), DIRECTORY);
    for (int i = 0; FileKind.MANIFEST.numbersIn(disk.fileSystem(), DIRECTORY).equals(before); i++) {
      store.alterDatabase(
          Store.DEFAULT_DATABASE, DatabaseOptions.builder().separateValuesFrom(10_000 + i).build());
    }
  }

  @Test
  void copiesNeedNoOther() {
    Path copy = Path.of("/copy");
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      store.checkpoint(copy);
      store.database().deleteRange(KeyRange.all());
    }
    try (Store store = TestStores.open(copy, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(exists(copy, "FAST")).isFalse();
  }

  @Test
  void backupsHoldAll() {
    Backups backups = TestBackups.in(Path.of("/backups"), files);
    long number;
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      number = backups.create(store).number();
    }
    Path restored = Path.of("/restored");
    backups.restore(number, restored);
    try (Store store = TestStores.open(restored, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  /** A tool is given a relative path, or a symbolic link. */
  @ParameterizedTest
  @ValueSource(strings = {"/store", "/store/../store", "/store/."})
  void aToolFindsIt(String path) {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    assertThat(ssts(FAST)).isNotEmpty();
    assertThat(TestChecks.run(disk.fileSystem(), Path.of(path)).findings()).isEmpty();
    Path saved = Path.of("/saved");
    assertThat(TestSalvages.run(disk.fileSystem(), Path.of(path), saved).isClean()).isTrue();
    try (Store store = TestStores.open(saved, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    disk.fileSystem().delete(FAST.resolve("OWNER"));
    assertThat(TestChecks.run(disk.fileSystem(), Path.of(path)).findings())
        .hasSameSizeAs(ssts(FAST));
  }

  @Test
  void whatNobodyKnowsIsDeleted() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    disk.fileSystem().create(FileKind.SST.path(FAST, 999)).close();
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      assertThat(exists(FAST, "000000000999.sst")).isFalse();
    }
  }

  /** A crash while the two are tied together, or part, harms nothing. */
  @Test
  @Tag("crash")
  void anOpeningMayBeKilledAtAnyCall() {
    long seed = Long.getLong("sifr.crash.seed", System.nanoTime());
    Random random = new Random(seed);
    boolean killed = true;
    for (int call = 1; killed; call++) {
      for (StoreOptions first : List.of(with(), without().build())) {
        CrashDisk fresh = CrashDisk.with(DIRECTORY);
        try (Store store = TestStores.open(DIRECTORY, first, fresh.fileSystem())) {
          store.database().put(SmallStores.key(1), SmallStores.value(1, 1), WriteOptions.SYNC);
          store.database().compact();
        }
        StoreOptions second = first.fastDirectory().isPresent() ? without().build() : with();
        fresh.crashAt(fresh.calls() + call, CrashDisk.Moment.AFTER);
        killed = isKilledWhileOpening(fresh, second);
        for (CrashDisk left : List.of(fresh.kill(), fresh.crash(random))) {
          for (StoreOptions third : List.of(first, second)) {
            try (Store store = TestStores.open(DIRECTORY, third, left.fileSystem())) {
              assertThat(content(store.database())).isEqualTo(filled(1, 2, 1));
            } catch (RuntimeException | Error e) {
              throw new AssertionError("killed after call " + call + ", seed " + seed, e);
            }
          }
        }
      }
    }
  }

  private static boolean isKilledWhileOpening(CrashDisk on, StoreOptions options) {
    try {
      TestStores.open(DIRECTORY, options, on.fileSystem()).close();
      return false;
    } catch (SimulatedCrash e) {
      return true;
    }
  }

  /** Neither when it is destroyed nor when it gets a fast directory of its own. */
  @Test
  void aCopyOfTheDirectoryTakesNothingFromTheStore() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact(); // nothing is left in the fast directory
    }
    CrashDisk other = disk.kill();
    for (boolean isDestroyed : List.of(true, false)) {
      StoreFileSystem both = other.fileSystem();
      Path copy = Path.of("/copy" + isDestroyed);
      both.createDirectories(copy);
      for (String name : both.list(DIRECTORY)) {
        assertThat(both.link(DIRECTORY.resolve(name), copy.resolve(name))).isTrue();
      }
      if (isDestroyed) {
        Removal.remove(both, copy);
        assertThat(both.exists(copy)).isFalse();
      } else {
        StoreOptions own = without().fastDirectory(Path.of("/own")).build();
        assertThatThrownBy(() -> TestStores.open(copy, own, both))
            .isInstanceOf(SideDirectoryException.class);
      }
      try (Store store = TestStores.open(DIRECTORY, with(), both)) {
        assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      }
    }
  }

  @Test
  void aStoreWhoseRowsAreGoneCanBeDestroyed() {
    open(with()).close();
    disk.fileSystem().list(FAST).forEach(name -> disk.fileSystem().delete(FAST.resolve(name)));
    disk.fileSystem().delete(FAST);
    Removal.remove(disk.fileSystem(), DIRECTORY);
    assertThat(disk.fileSystem().exists(DIRECTORY)).isFalse();
  }

  @Test
  void aDestroyedStoreLeavesNothingThere() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
    }
    Removal.remove(disk.fileSystem(), DIRECTORY);
    assertThat(disk.fileSystem().list(FAST)).isEmpty();
    assertThat(disk.fileSystem().exists(DIRECTORY)).isFalse();
  }
}
