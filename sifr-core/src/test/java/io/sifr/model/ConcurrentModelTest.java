package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers, point reads, cursors and snapshots on threads of their own, while the store flushes and
 * merges all the time, with SSTs so small that frontiers move all the time. What is read is what a
 * model allows, see {@link VersionedGroups}. A longer run: {@code -Dsifr.stress.batches=50000}
 * (batches a writer); another seed: {@code -Dsifr.stress.seed=…}.
 */
class ConcurrentModelTest {
  private static final int BATCHES = Integer.getInteger("sifr.stress.batches", 500);
  private static final long SEED = Long.getLong("sifr.stress.seed", System.nanoTime());
  private static final int WRITERS = 2;

  @TempDir Path directory;

  private interface Work {
    /** Does a piece of it. */
    void once(Random random);
  }

  @Test
  void readersSeeWhatTheModelAllows() throws Exception {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(16 << 10)
            .splitUnitBytes(4096)
            .growthFactor(2)
            .mergeThreads(2)
            .cleaningThreshold(1 + random.nextInt(3))
            .logSegmentBytes(1 << 16)
            .build();
    VersionedGroups groups = new VersionedGroups(WRITERS);
    try (Store store = open(options)) {
      run(store, groups, random);
      groups.checkNewest(store.database());
    } catch (Exception | Error e) {
      throw new AssertionError("seed " + SEED, e);
    }
    try (Store store = open(options)) {
      groups.checkNewest(store.database());
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  private Store open(StoreOptions options) {
    return TestStores.open(directory, options, new NoSyncFileSystem(new DiskFileSystem()));
  }

  private static void run(Store store, VersionedGroups groups, Random random) throws Exception {
    List<Future<?>> writers = new ArrayList<>();
    List<Future<?>> others = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int writer = 0; writer < WRITERS; writer++) {
        int own = writer;
        Random chance = new Random(random.nextLong());
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < BATCHES; i++) {
                    groups.write(store, own, chance);
                  }
                }));
      }
      for (Work work :
          List.<Work>of(
              chance -> groups.get(store, chance),
              chance -> groups.scan(store, chance),
              chance -> groups.readSnapshotTwice(store, chance),
              chance -> store.database().compact())) {
        Random chance = new Random(random.nextLong());
        others.add(
            threads.submit(
                () -> {
                  while (!writers.stream().allMatch(Future::isDone)) {
                    work.once(chance);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      for (Future<?> other : others) {
        other.get();
      }
    } finally {
      threads.shutdown();
    }
  }
}
