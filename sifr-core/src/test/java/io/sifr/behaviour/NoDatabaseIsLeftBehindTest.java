package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases of a store share its merge threads: each gets its share of them. */
class NoDatabaseIsLeftBehindTest {
  private static final StoreOptions OPTIONS =
      SmallStores.options()
          .compaction(CompactionPolicy.splitForest(2))
          .compactionThreads(1)
          .build();

  /** As many trees in a stage as make each kilobyte written wait for milliseconds. */
  private static final int FLUSHES_THAT_SLOW_WRITERS = 30;

  @TempDir Path directory;

  private final List<String> merged = new CopyOnWriteArrayList<>();
  private final List<String> stalled = new CopyOnWriteArrayList<>();

  private Store open() {
    StoreListener listener =
        new StoreListener() {
          @Override
          public void compacted(CompactionEvent event) {
            merged.add(event.database() + " " + event.inputs().stage());
          }

          @Override
          public void stalled(StallEvent event) {
            stalled.add(event.database());
          }
        };
    return TestStores.open(
        directory, OPTIONS, new NoSyncFileSystem(new DiskFileSystem()), listener);
  }

  private static void flushTimes(Store store, Database database, int times) {
    for (int i = 0; i < times; i++) {
      SmallStores.fill(database, 0, 10, i);
      store.flush();
    }
  }

  @Test
  void theFullestStageIsMergedFirst() {
    try (Store store = open()) {
      Database few = store.openOrCreateDatabase("few");
      Database many = store.openOrCreateDatabase("many");
      store.pauseCompactions();
      flushTimes(store, few, 4);
      flushTimes(store, many, 8);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(merged.subList(0, 2)).containsOnly("many 1");
      assertThat(merged).contains("few 1");
    }
  }

  @Test
  void aBatchWaitsForTheDatabaseThatIsFurthestBehind() {
    try (Store store = open()) {
      Database first = store.openOrCreateDatabase("first");
      Database behind = store.openOrCreateDatabase("behind");
      store.pauseCompactions();
      flushTimes(store, behind, FLUSHES_THAT_SLOW_WRITERS);
      stalled.clear();
      WriteBatch batch = new WriteBatch();
      batch.put(first, SmallStores.key(1), new byte[1000]);
      batch.put(behind, SmallStores.key(1), new byte[1000]);
      store.write(batch);
      assertThat(stalled).containsExactly("behind");
      first.put(SmallStores.key(2), new byte[1000]);
      assertThat(stalled).containsExactly("behind");
    }
  }
}
