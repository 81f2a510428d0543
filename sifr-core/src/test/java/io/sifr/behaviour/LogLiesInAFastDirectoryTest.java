package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SideDirectoryException;
import io.sifr.error.SifrException;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.Removal;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log on another device than the store loses no more than one beside it. */
class LogLiesInAFastDirectoryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());

  private static StoreOptions.Builder without() {
    return SmallStores.options().logAccess(LogAccess.WRITTEN).fastBytes(256 << 10);
  }

  private static StoreOptions with() {
    return without().fastDirectory(FAST).build();
  }

  /**
   * Write buffers are so large that nothing is flushed, and all is in the log when it is closed.
   */
  private static StoreOptions.Builder unflushed() {
    return without().writeBufferBytes(1 << 20).keptLogBytes(1 << 20);
  }

  private Store open(StoreOptions options) {
    return TestStores.open(DIRECTORY, options, files);
  }

  private List<Long> segments(Path directory) {
    return FileKind.WAL.numbersIn(disk.fileSystem(), directory);
  }

  private static boolean isFast(Path path) {
    return path.startsWith(FAST);
  }

  private static void assertContent(CrashDisk left, StoreOptions options, int to) {
    try (Store store = TestStores.open(DIRECTORY, options, left.fileSystem())) {
      assertThat(content(store.database())).isEqualTo(filled(0, to, 1));
    }
  }

  @Test
  void segmentsAreCreatedThere() {
    StoreOptions options = unflushed().fastDirectory(FAST).build();
    try (Store store = open(options)) {
      fill(store.database(), 0, 1000, 1);
      assertThat(segments(FAST)).hasSizeGreaterThan(3);
    }
    assertThat(segments(DIRECTORY)).isEmpty();
    try (Store store = open(options)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      fill(store.database(), 1000, 2000, 1);
      store.flush();
      fill(store.database(), 2000, 3000, 1); // into segments that are recycled
      assertThat(segments(DIRECTORY)).isEmpty();
    }
    assertContent(disk, options, 3000);
  }

  /** What a power failure leaves has the names of the segments. */
  @Test
  void aSyncedWriteIsThereAfterAPowerFailure() {
    long seed = Long.getLong("sifr.crash.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Store store = open(with())) {
      for (int i = 0; i < 1000; i++) {
        store.database().put(key(i), value(i, 1), WriteOptions.SYNC);
        if (i % 50 == 49) {
          try {
            assertContent(disk.crash(random), with(), i + 1);
          } catch (RuntimeException | Error e) {
            throw new AssertionError("seed " + seed, e);
          }
        }
      }
    }
  }

  @Test
  void aSyncedWriteDoesNotWaitForTheStoresDevice() {
    ConcurrentLinkedQueue<CrashDisk.Call> calls = new ConcurrentLinkedQueue<>();
    try (Store store = open(unflushed().fastDirectory(FAST).build())) {
      store.database().put(key(0), value(0, 1), WriteOptions.SYNC); // begins the log
      disk.watch(
          (call, moment) -> {
            if (call.changes() && call.path().startsWith(DIRECTORY)) {
              calls.add(call);
            }
          });
      for (int i = 1; i < 1000; i++) {
        store.database().put(key(i), value(i, 1), WriteOptions.SYNC);
      }
      assertThat(segments(FAST)).hasSizeGreaterThan(3);
      disk.watch((call, moment) -> {});
    }
    assertThat(calls).isEmpty();
  }

  /** Whatever fails while a segment is prepared, the write succeeds, and with those after it. */
  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"CREATE", "APPEND", "SYNC", "RENAME", "OPEN_FOR_WRITE", "USABLE_BYTES"})
  void whatCannotBeCreatedThereIsCreatedInTheStoresDirectory(Operation operation) {
    StoreOptions options = unflushed().fastDirectory(FAST).build();
    try (Store store = open(options)) {
      files.failForGood(
          operation,
          path -> isFast(path) && path.toString().contains(".new") == isOfNew(operation),
          1,
          Fault.EIO);
      files.failForGood(
          Operation.DELETE, LogLiesInAFastDirectoryTest::isFast, 1, Fault.EIO); // so some is left
      fill(store.database(), 0, 1000, 1);
      assertThat(segments(DIRECTORY)).isNotEmpty().noneMatch(segments(FAST)::contains);
      files.heal();
      assertContent(disk.kill(), options, 1000);
    }
    assertContent(disk, options, 1000);
  }

  /** Whether it is called with the name of a segment that is being filled. */
  private static boolean isOfNew(Operation operation) {
    return operation != Operation.OPEN_FOR_WRITE && operation != Operation.USABLE_BYTES;
  }

  @Test
  void whatCannotBeRecycledThereIsCreatedInTheStoresDirectory() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 2000, 1);
      store.flush(); // segments are kept for recycling
      assertThat(segments(DIRECTORY)).isEmpty();
      files.failForGood(Operation.RENAME, LogLiesInAFastDirectoryTest::isFast, 1, Fault.EIO);
      fill(store.database(), 2000, 2500, 1);
      assertThat(segments(DIRECTORY)).isNotEmpty();
      files.heal();
      assertContent(disk.kill(), with(), 2500);
    }
    assertContent(disk, with(), 2500);
  }

  @Test
  void whatIsRetainedNoLongerIsRecycledThere() {
    StoreOptions options = without().retainedLogBytes(64 << 10).fastDirectory(FAST).build();
    try (Store store = open(options)) {
      for (int part = 0; part < 20; part++) {
        fill(store.database(), part * 300, (part + 1) * 300, 1);
        store.flush();
      }
      assertThat(segments(DIRECTORY)).isEmpty();
    }
    assertContent(disk, options, 6000);
  }

  @Test
  void whileTheDeviceIsFullSegmentsAreCreatedInTheStoresDirectory() {
    AtomicLong usable = new AtomicLong(100 << 10);
    StoreFileSystem full =
        new ForwardingFileSystem(files) {
          @Override
          public long usableBytes(Path directory) {
            return isFast(directory) ? usable.get() : super.usableBytes(directory);
          }
        };
    StoreOptions options = unflushed().writeBufferBytes(256 << 10).fastDirectory(FAST).build();
    try (Store store = TestStores.open(DIRECTORY, options, full)) {
      fill(store.database(), 0, 500, 1);
      assertThat(segments(FAST)).isEmpty();
      usable.set(1L << 30);
      fill(store.database(), 500, 1000, 1);
      assertThat(segments(FAST)).isNotEmpty();
    }
    assertContent(disk, options, 1000);
  }

  @Test
  void aStoreThatIsOpenedWithoutOneMovesItsLogOut() {
    try (Store store = open(unflushed().fastDirectory(FAST).build())) {
      fill(store.database(), 0, 100, 1);
    }
    assertThat(segments(FAST)).isNotEmpty();
    try (Store store = open(unflushed().build())) {
      assertThat(segments(FAST)).isEmpty();
      assertThat(content(store.database())).isEqualTo(filled(0, 100, 1));
      fill(store.database(), 100, 200, 1);
    }
    assertThat(segments(DIRECTORY)).isNotEmpty();
    assertContent(disk, unflushed().build(), 200);
    assertThat(disk.fileSystem().list(FAST)).isEmpty();
  }

  /** Its segments stay where they are, new ones are created in the fast directory. */
  @Test
  void aStoreGetsOneWhileThereIsALog() {
    try (Store store = open(unflushed().build())) {
      fill(store.database(), 0, 100, 1);
    }
    List<Long> before = segments(DIRECTORY);
    try (Store store = open(unflushed().fastDirectory(FAST).build())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 100, 1));
      fill(store.database(), 100, 500, 1);
      assertThat(segments(DIRECTORY)).isEqualTo(before);
      assertThat(segments(FAST)).isNotEmpty();
    }
    assertContent(disk, unflushed().fastDirectory(FAST).build(), 500);
  }

  @Test
  void everythingFindsIt() {
    StoreOptions options = unflushed().fastDirectory(FAST).build();
    Path copy = Path.of("/copy");
    Path saved = Path.of("/saved");
    try (Store store = open(options)) {
      fill(store.database(), 0, 1000, 1);
      store.checkpoint(copy);
    }
    assertThat(segments(FAST)).isNotEmpty();
    try (Store store = TestStores.open(copy, unflushed().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    try (Store store = TestStores.openReadOnly(DIRECTORY, options, files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
    assertThat(TestSalvages.run(disk.fileSystem(), DIRECTORY, saved).isClean()).isTrue();
    try (Store store = TestStores.open(saved, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    Removal.remove(disk.fileSystem(), DIRECTORY);
    assertThat(disk.fileSystem().list(FAST)).isEmpty();
  }

  /** What is in the store's directory is served, and nothing that was acknowledged is lost. */
  @Test
  void theDeviceVanishesWhileTheStoreIsOpen() {
    Store store = open(with());
    fill(store.database(), 0, 1000, 1);
    store.flush();
    store.database().compact();
    fill(store.database(), 1000, 1100, 1);
    store.flush(); // a row
    fill(store.database(), 1100, 1110, 1);
    List<Long> flushed = FileKind.SST.numbersIn(disk.fileSystem(), DIRECTORY);
    vanish();
    assertThat(store.database().get(key(5))).isEqualTo(value(5, 1));
    fill(store.database(), 1110, 1200, 1);
    store.sync();
    assertThat(store.database().get(key(5))).isEqualTo(value(5, 1));
    assertThat(store.database().get(key(1105))).isEqualTo(value(1105, 1));
    assertThatThrownBy(store::close) // of the lock, on which nothing depends
        .isInstanceOf(SifrException.class)
        .hasMessageContaining("cannot CLOSE " + FAST);
    assertThat(FileKind.SST.numbersIn(disk.fileSystem(), DIRECTORY))
        .hasSizeGreaterThan(flushed.size());
    files.heal();
    disk.fileSystem().rename(FAST, Path.of("/elsewhere"));
    assertThatThrownBy(() -> open(with()))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining(FAST.toString())
        .hasMessageContaining(DIRECTORY.toString());
    disk.fileSystem().rename(Path.of("/elsewhere"), FAST);
    assertContent(disk, with(), 1200);
  }

  private void vanish() {
    for (Operation operation : Operation.values()) {
      files.failForGood(operation, LogLiesInAFastDirectoryTest::isFast, 1, Fault.EIO);
    }
  }
}
