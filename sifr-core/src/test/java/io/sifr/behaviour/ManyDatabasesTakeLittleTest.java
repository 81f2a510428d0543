package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.engine.StoreCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.ChildJvm;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases that hold little share memory, and are flushed together. */
class ManyDatabasesTakeLittleTest {
  private static final int ENTRIES = 50;
  private static final int MOST_BYTES = 64 << 10;

  @TempDir Path directory;

  /** Counts commits of flushes, when the store is opened and later, and syncs of the directory. */
  private static final class Counts extends ForwardingFileSystem {
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger recoveryFlushes = new AtomicInteger();
    private final AtomicInteger syncs = new AtomicInteger();

    Counts() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public void reached(CrashPoint point) {
      if (point == BackgroundCrashPoint.FLUSH_COMMITTED) {
        flushes.incrementAndGet();
      } else if (point == StoreCrashPoint.RECOVERY_FLUSHED) {
        recoveryFlushes.incrementAndGet();
      }
    }

    @Override
    public void syncDirectory(Path synced) {
      syncs.incrementAndGet();
    }
  }

  /** Counts the flushes of each database. */
  private static final class Flushes implements StoreListener {
    private final Map<String, Integer> of = new ConcurrentHashMap<>();

    @Override
    public void flushed(FlushEvent event) {
      of.merge(event.database(), 1, Integer::sum);
    }
  }

  /** Fills a thousand databases, in a heap that holds a tenth of a megabyte for each. */
  static final class Child {
    private static final int DATABASES = 1000;

    private Child() {}

    public static void main(String[] args) {
      Path directory = Path.of(args[0]);
      StoreOptions options = StoreOptions.builder().totalWriteBufferBytes(32 << 20).build();
      try (Store store = SmallStores.open(directory, options)) {
        List<Database> databases = create(store, DATABASES);
        for (int i = 0; i < ENTRIES; i++) {
          for (Database database : databases) {
            SmallStores.fill(database, i, i + 1, 1);
          }
        }
        check(store.statistics().get(Metric.SSTS) == 0, "flushed early");
        store.flush();
        databases.forEach(database -> SmallStores.fill(database, 0, 1, 2));
      }
      try (Store store = SmallStores.open(directory, StoreOptions.DEFAULT)) {
        Map<String, String> expected = SmallStores.filled(0, ENTRIES, 1);
        expected.putAll(SmallStores.filled(0, 1, 2));
        for (int i = 0; i < DATABASES; i++) {
          check(SmallStores.content(store.database("database" + i)).equals(expected), "lost");
        }
      }
      System.out.println("done");
    }

    private static void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(what);
      }
    }
  }

  private static List<Database> create(Store store, int count) {
    List<Database> databases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      databases.add(store.openOrCreateDatabase("database" + i));
    }
    return databases;
  }

  private static long writeBuffers(Store store) {
    return store.statistics().get(Metric.WRITE_BUFFER_BYTES);
  }

  @Test
  @Tag("process")
  void aThousandNeedLittleHeap() {
    try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m"), Child.class, directory.toString())) {
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }

  @Test
  void aDatabaseWithFiftyEntriesTakesLittleMemoryAndNoFile() {
    try (Store store = SmallStores.open(directory, StoreOptions.DEFAULT)) {
      assertThat(writeBuffers(store)).isZero();
      List<Database> databases = create(store, 20);
      assertThat(writeBuffers(store)).isZero();
      databases.forEach(database -> SmallStores.fill(database, 0, ENTRIES, 1));
      assertThat(writeBuffers(store)).isBetween(1L, 20L * MOST_BYTES);
      assertThat(SmallStores.files(directory, ".sst")).isEmpty();
      store.dropDatabase("database0");
      assertThat(writeBuffers(store)).isLessThanOrEqualTo(19L * MOST_BYTES);
      store.flush();
      assertThat(writeBuffers(store)).isZero();
      assertThat(SmallStores.files(directory, ".sst")).hasSize(19);
    }
  }

  @Test
  void manyAreFlushedWithOneCommit() {
    Counts counts = new Counts();
    try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, counts)) {
      List<Database> databases = create(store, 30);
      for (int round = 1; round <= 2; round++) {
        databases.forEach(database -> SmallStores.fill(database, 0, ENTRIES, 1));
        counts.syncs.set(0);
        store.flush();
        assertThat(counts.flushes).hasValue(round);
        assertThat(counts.syncs).hasValue(1);
      }
      databases.forEach(
          database ->
              assertThat(SmallStores.content(database))
                  .isEqualTo(SmallStores.filled(0, ENTRIES, 1)));
    }
  }

  /** The largest is flushed, the small ones stay. */
  @Test
  void aBusyDatabaseDoesNotFlushIdleOnes() {
    Flushes flushes = new Flushes();
    long total = 2 << 20;
    StoreOptions options = StoreOptions.builder().totalWriteBufferBytes(total).build();
    try (Store store = TestStores.open(directory, options, new Counts(), flushes)) {
      create(store, 100).forEach(database -> SmallStores.fill(database, 0, 3, 1));
      for (int i = 0; i < 60_000; i++) {
        SmallStores.fill(store.database(), i, i + 1, 1);
        if (i % 100 == 0) {
          // An array of each of the two parts of a memtable may be above the limit.
          assertThat(writeBuffers(store)).isLessThan(total + total / 2);
        }
      }
      store.awaitIdle();
      assertThat(flushes.of).containsOnlyKeys(Store.DEFAULT_DATABASE);
      assertThat(flushes.of.get(Store.DEFAULT_DATABASE)).isGreaterThan(5);
    }
  }

  /** Those that hold the oldest log are flushed, all of them at once. */
  @Test
  void idleDatabasesThatHoldTheOldestLogAreFlushedTogetherAndOnce() {
    Counts counts = new Counts();
    Flushes flushes = new Flushes();
    StoreOptions options =
        StoreOptions.builder().maxLogBytes(256 << 10).logSegmentBytes(64 << 10).build();
    try (Store store = TestStores.open(directory, options, counts, flushes)) {
      for (Database database : create(store, 20)) {
        SmallStores.fill(database, 0, 1, 1);
      }
      SmallStores.fill(store.database(), 0, 4000, 1);
      store.awaitIdle();
      int ofBusy = flushes.of.getOrDefault(Store.DEFAULT_DATABASE, 0);
      assertThat(counts.flushes.get()).isLessThanOrEqualTo(ofBusy + 1);
      for (int i = 0; i < 20; i++) {
        assertThat(flushes.of).containsEntry("database" + i, 1);
      }
    }
  }

  /** Writers wait for flushes rather than take more memory, and all of them go on. */
  @Test
  void memoryIsBoundedWhenAllAreBusy() {
    StoreOptions options =
        StoreOptions.builder().totalWriteBufferBytes(256 << 10).maxLogBytes(1 << 20).build();
    try (Store store = SmallStores.open(directory, options)) {
      List<Database> databases = create(store, 40);
      for (int i = 0; i < 400; i++) {
        for (Database database : databases) {
          SmallStores.fill(database, i, i + 1, 1);
        }
        assertThat(writeBuffers(store)).isLessThan(2 * (256 << 10));
      }
      databases.forEach(
          database ->
              assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 400, 1)));
    }
  }

  /** Otherwise a log that one process has written could not be read by one with a smaller heap. */
  @Test
  void memoryIsBoundedWhenTheLogIsReplayed() throws IOException {
    Path killed = directory.resolve("killed");
    try (Store store = SmallStores.open(directory.resolve("store"), StoreOptions.DEFAULT)) {
      create(store, 20).forEach(database -> SmallStores.fill(database, 0, ENTRIES, 1));
      SmallStores.copy(store.directory(), killed);
    }
    Counts counts = new Counts();
    StoreOptions options = StoreOptions.builder().totalWriteBufferBytes(64 << 10).build();
    try (Store store = TestStores.open(killed, options, counts)) {
      assertThat(counts.recoveryFlushes.get()).isGreaterThan(2);
      for (int i = 0; i < 20; i++) {
        assertThat(SmallStores.content(store.database("database" + i)))
            .isEqualTo(SmallStores.filled(0, ENTRIES, 1));
      }
    }
  }

  @Test
  void aDropGivesBackTheMemoryThatWritersWaitFor() throws Exception {
    AtomicBoolean mayFlush = new AtomicBoolean();
    StoreFileSystem files =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public void reached(CrashPoint point) {
            if (point == BackgroundCrashPoint.FLUSH_BEGUN) {
              Waiting.until("flushes to be allowed", mayFlush::get);
            }
          }
        };
    int total = 256 << 10;
    StoreOptions options = StoreOptions.builder().totalWriteBufferBytes(total).build();
    Tuning patient = Tuning.DEFAULT.withImmutableMemtables(64);
    AtomicInteger written = new AtomicInteger();
    try (Store store = TestStores.open(directory, options, patient, files)) {
      Database large = store.openOrCreateDatabase("large");
      for (int i = 0; writeBuffers(store) < total * 3 / 4; i++) {
        SmallStores.fill(large, i, i + 1, 1);
      }
      FutureTask<Void> writing =
          new FutureTask<>(
              () -> {
                for (int i = 0; i < 2000; i++) {
                  SmallStores.fill(store.database(), i, i + 1, 1);
                  written.set(i);
                }
                return null;
              });
      Thread writer = new Thread(writing, "writer");
      writer.start();
      Waiting.until("the writer to wait", () -> writer.getState() == Thread.State.WAITING);
      int before = written.get();
      assertThat(before).isLessThan(1999);
      store.dropDatabase("large");
      Waiting.until("the writer to go on", () -> written.get() > before);
      mayFlush.set(true);
      writing.get();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 2000, 1));
    } finally {
      mayFlush.set(true);
    }
  }
}
