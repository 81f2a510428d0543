package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.engine.StoreCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.StateCrashPoint;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a power loss leaves in situations that are easy to tell, each of which once went wrong. */
@Tag("crash")
class PowerLossKeepsPromisesTest {
  private static final int CRASHES = 100;
  private static final Path DIRECTORY = Path.of("/data/store");
  private static final StoreOptions OPTIONS =
      StoreOptions.builder().writeBufferBytes(8192).logSegmentBytes(8192).build();

  private static final byte[] KEY = "key".getBytes(US_ASCII);
  private static final byte[] VALUE = "value".getBytes(US_ASCII);

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  private static Store open(CrashDisk disk) {
    return TestStores.open(DIRECTORY, OPTIONS, disk.fileSystem());
  }

  private static void forEachCrash(FrozenDisk frozen, Consumer<Store> check) {
    for (long seed = 0; seed < CRASHES; seed++) {
      try (Store store = open(frozen.crash(new Random(seed)))) {
        check.accept(store);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static void batchIsWhole(Store store) {
    assertThat(store.database().contains(KEY)).isEqualTo(store.database("other").contains(KEY));
  }

  private static void writeBatch(Store store) {
    Database other = store.openOrCreateDatabase("other");
    store.write(
        new WriteBatch().put(store.database(), KEY, VALUE).put(other, KEY, VALUE),
        WriteOptions.BUFFERED);
  }

  @Test
  void syncedWriteIsThere() {
    try (Store store = open(disk)) {
      store.database().put(KEY, VALUE, WriteOptions.SYNC);
      forEachCrash(disk.freeze(), left -> assertThat(left.database().get(KEY)).isEqualTo(VALUE));
    }
  }

  @Test
  void batchOverTwoDatabasesIsWholeWhenOneOfThemWasFlushed() {
    try (Store store = open(disk)) {
      writeBatch(store);
      store.database("other").compact(); // flushes this one alone
      forEachCrash(disk.freeze(), PowerLossKeepsPromisesTest::batchIsWhole);
    }
  }

  @Test
  void earlierWriteIsThereWhenALaterOneOfAnotherDatabaseIs() {
    try (Store store = open(disk)) {
      Database other = store.openOrCreateDatabase("other");
      store.database().put(KEY, VALUE, WriteOptions.BUFFERED);
      other.put(KEY, VALUE, WriteOptions.BUFFERED);
      other.compact();
      forEachCrash(
          disk.freeze(),
          left -> {
            if (left.database("other").contains(KEY)) {
              assertThat(left.database().get(KEY)).isEqualTo(VALUE);
            }
          });
    }
  }

  @Test
  void ingestedFilesAreThereWithAllWritesBefore() {
    try (Store store = open(disk)) {
      Database other = store.openOrCreateDatabase("other");
      other.put(KEY, VALUE, WriteOptions.BUFFERED);
      TestStores.makeDirectory(store, Path.of("/files"));
      try (SstFileWriter writer = TestStores.writer(store, Path.of("/files/file"))) {
        writer.put(KEY, VALUE);
        store.database().ingest(writer.finish().files(), IngestOptions.DEFAULT);
      }
      forEachCrash(
          disk.freeze(),
          left -> {
            assertThat(left.database().get(KEY)).isEqualTo(VALUE);
            assertThat(left.database("other").get(KEY)).isEqualTo(VALUE);
          });
    }
  }

  @Test
  void databasesThatAreFlushedTogetherAreFlushedWhollyOrNotAtAll() {
    List<String> names = List.of("a", "b", "c");
    List<FrozenDisk> moments = new ArrayList<>();
    try (Store store = open(disk)) {
      for (String name : names) {
        store.openOrCreateDatabase(name).put(KEY, VALUE, WriteOptions.UNLOGGED);
      }
      disk.watch(
          (call, moment) -> {
            synchronized (moments) {
              moments.add(disk.freeze());
            }
          });
      store.flush();
      disk.watch((call, moment) -> {});
    }
    Set<Long> found = new TreeSet<>();
    for (FrozenDisk moment : Set.copyOf(moments)) {
      for (CrashDisk left : List.of(moment.kill(), moment.crash(new Random(moments.size())))) {
        try (Store store = open(left)) {
          found.add(names.stream().filter(name -> store.database(name).contains(KEY)).count());
        }
      }
    }
    assertThat(found).containsExactly(0L, 3L);
  }

  /** A flush of two databases may be newer than what is left in the log of one of them. */
  @Test
  void earlierWriteToADatabaseIsThereWhenItIsFlushedTogetherWithALaterOne() {
    StoreOptions options =
        StoreOptions.builder().writeBufferBytes(8192).logSegmentBytes(1 << 20).build();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<FrozenDisk> committed = new ArrayList<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            if (point == BackgroundCrashPoint.FLUSH_FILES_DURABLE) {
              begun.countDown(); // it has synced the log, or found no need to
              Waiting.until("both databases to be full", () -> mayGoOn.getCount() == 0);
            } else if (point == BackgroundCrashPoint.FLUSH_COMMITTED) {
              committed.add(disk.freeze());
            }
          }
        };
    byte[] small = new byte[2500];
    byte[] large = new byte[6000];
    byte[] later = "later".getBytes(US_ASCII);
    try (Store store = TestStores.open(DIRECTORY, options, files)) {
      Database a = store.openOrCreateDatabase("a");
      Database b = store.openOrCreateDatabase("b");
      store.database().put(KEY, small, WriteOptions.UNLOGGED);
      store
          .database()
          .put(later, large, WriteOptions.UNLOGGED); // no room: a flush begins, and waits
      Waiting.until("a flush to begin", () -> begun.getCount() == 0);
      for (Database database : List.of(a, b)) {
        database.put(KEY, small, WriteOptions.BUFFERED);
        database.put(later, large, WriteOptions.BUFFERED); // no room either
      }
      mayGoOn.countDown();
      store.awaitIdle();
    }
    assertThat(committed.size()).isGreaterThanOrEqualTo(2); // the second one of both
    forEachCrash(
        committed.get(1),
        left -> {
          assertThat(left.database("b").get(KEY)).isEqualTo(small);
          assertThat(left.database("a").get(later)).isEqualTo(large);
        });
  }

  /** Until its edit is durable, a flush needs all segments, more than are kept to be used again. */
  @Test
  void logIsThereUntilTheManifestKnowsWhatWasFlushed() {
    int segments = 20;
    List<FrozenDisk> moments = new ArrayList<>();
    StoreOptions options =
        StoreOptions.builder().writeBufferBytes(1 << 20).logSegmentBytes(8192).build();
    try (Store store = TestStores.open(DIRECTORY, options, disk.fileSystem())) {
      for (int i = 0; i < segments; i++) {
        store.database().put(new byte[] {(byte) i}, new byte[6000], WriteOptions.SYNC);
      }
      disk.watch((call, moment) -> moments.add(disk.freeze()));
      store.flush();
      disk.watch((call, moment) -> {});
    }
    for (FrozenDisk moment : Set.copyOf(moments)) {
      for (CrashDisk left : List.of(moment.kill(), moment.crash(new Random(moments.size())))) {
        try (Store store = open(left);
            Cursor cursor = store.database().cursor()) {
          for (int i = 0; i < segments; i++) {
            assertThat(cursor.next()).describedAs("entry %d", i).isTrue();
            assertThat(cursor.key()).containsExactly(i);
          }
        }
      }
    }
    assertThat(moments).isNotEmpty();
  }

  /** As long as its drop is not durable, a database needs what the log holds of it. */
  @Test
  void databaseThatIsBeingDroppedIsWholeAlthoughAnotherOneIsFlushed() {
    AtomicReference<Store> flushed = new AtomicReference<>();
    List<FrozenDisk> moments = new ArrayList<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            Store store = flushed.get();
            if (point == StateCrashPoint.DATABASE_DROP_BEGUN && store != null) {
              store.database().compact();
              moments.add(disk.freeze());
            }
          }
        };
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, files)) {
      flushed.set(store);
      Database other = store.openOrCreateDatabase("other");
      other.put(KEY, VALUE, WriteOptions.SYNC);
      for (int i = 0; i < 10; i++) { // the log goes on to other segments
        store.database().put(new byte[] {(byte) i}, new byte[2000], WriteOptions.SYNC);
      }
      store.dropDatabase("other");
    }
    assertThat(moments).hasSize(1);
    forEachCrash(
        moments.get(0), left -> assertThat(left.database("other").get(KEY)).isEqualTo(VALUE));
  }

  /** The log of a killed process is in the kernel's memory only when recovery begins. */
  @Test
  void batchIsWholeWhenPowerFailsDuringTheRecoveryOfAKilledProcess() {
    CrashDisk killed;
    try (Store store = open(disk)) {
      writeBatch(store);
      killed = disk.kill();
    }
    List<FrozenDisk> moments = new ArrayList<>();
    killed.watch((call, moment) -> moments.add(killed.freeze()));
    open(killed).close();
    assertThat(moments).isNotEmpty();
    for (FrozenDisk moment : moments) {
      for (long seed = 0; seed < 10; seed++) {
        try (Store store = open(moment.crash(new Random(seed)))) {
          batchIsWhole(store);
        }
      }
    }
  }

  /** It is in the log alone, and the manifest relies on that being durable. */
  @Test
  void writeThatWasNotSyncedIsThereWhenTheStoreIsClosed() {
    List<FrozenDisk> moments = new ArrayList<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            if (point == StoreCrashPoint.CLOSE_COMMITTED) {
              moments.add(disk.freeze());
            }
          }
        };
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, files)) {
      store.database().put(KEY, VALUE, WriteOptions.BUFFERED);
    }
    moments.add(disk.freeze());
    assertThat(moments).hasSize(2);
    for (FrozenDisk moment : moments) {
      forEachCrash(
          moment,
          left -> {
            assertThat(left.database().get(KEY)).isEqualTo(VALUE);
            assertThat(left.database().forest().trees()).isZero();
          });
    }
  }

  @Test
  void segmentThatWasBeingFilledIsDeletedWhenTheStoreIsOpened() {
    List<FrozenDisk> moments = new ArrayList<>();
    disk.watch(
        (call, moment) -> {
          if (moment == Moment.INSIDE && call.path().toString().endsWith(".new")) {
            moments.add(disk.freeze());
          }
        });
    try (Store store = open(disk)) {
      store.database().put(KEY, VALUE);
    }
    assertThat(moments).isNotEmpty();
    for (FrozenDisk moment : moments) {
      CrashDisk killed = moment.kill();
      open(killed).close();
      assertThat(killed.fileSystem().list(DIRECTORY)).noneMatch(name -> name.endsWith(".new"));
    }
  }

  @Test
  void syncedWriteIsThereInADirectoryThatTheStoreMade() {
    CrashDisk above = CrashDisk.with(DIRECTORY.resolveSibling("others"));
    try (Store store = open(above)) {
      store.database().put(KEY, VALUE, WriteOptions.SYNC);
      forEachCrash(above.freeze(), left -> assertThat(left.database().get(KEY)).isEqualTo(VALUE));
    }
  }
}
