package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases that hold little are flushed together. */
class ManyDatabasesTakeLittleTest {
  private static final int ENTRIES = 50;

  @TempDir Path directory;

  /** Counts commits of flushes and syncs of the directory. */
  private static final class Counts extends ForwardingFileSystem {
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger syncs = new AtomicInteger();

    Counts() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public void reached(CrashPoint point) {
      if (point == BackgroundCrashPoint.FLUSH_COMMITTED) {
        flushes.incrementAndGet();
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

  private static List<Database> create(Store store, int count) {
    List<Database> databases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      databases.add(store.createDatabase("database" + i));
    }
    return databases;
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
}
