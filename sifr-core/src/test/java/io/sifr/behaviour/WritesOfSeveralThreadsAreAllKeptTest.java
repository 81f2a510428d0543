package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers that have to wait for a flush, so that others write while they are half through. */
class WritesOfSeveralThreadsAreAllKeptTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(1);

  private static final int THREADS = 4;
  private static final int WRITES = 1000;
  private static final StoreOptions SMALL_BUFFERS =
      StoreOptions.builder().writeBufferBytes(16 << 10).splitUnitBytes(16 << 10).build();

  @TempDir Path directory;

  @Test
  void singleWrites() throws Exception {
    try (Store store = open()) {
      Database database = store.database();

      inEachThread(
          (thread, write) -> {
            database.put(key(thread, write), value(thread, write));
            if (write % 2 == 1) {
              database.delete(key(thread, write - 1));
            }
          });

      for (int thread = 0; thread < THREADS; thread++) {
        for (int write = 0; write < WRITES; write++) {
          assertThat(database.get(key(thread, write)))
              .describedAs("thread %d, write %d", thread, write)
              .isEqualTo(write % 2 == 1 ? value(thread, write) : null);
        }
      }
    }
  }

  @Test
  void batchesThatFindRoomInOneDatabaseAndWaitForTheOther() throws Exception {
    try (Store store = open()) {
      Database often = store.openOrCreateDatabase("often");
      Database seldom = store.openOrCreateDatabase("seldom");

      inEachThread(
          (thread, write) -> {
            WriteBatch batch =
                new WriteBatch().put(often, key(thread, write), value(thread, write));
            if (thread % 2 == 0) {
              batch.put(seldom, key(thread, write), new byte[4000]);
            }
            store.write(batch);
          });

      for (int thread = 0; thread < THREADS; thread++) {
        for (int write = 0; write < WRITES; write++) {
          assertThat(often.get(key(thread, write)))
              .describedAs("thread %d, write %d", thread, write)
              .isEqualTo(value(thread, write));
          assertThat(seldom.contains(key(thread, write))).isEqualTo(thread % 2 == 0);
        }
      }
    }
  }

  private Store open() {
    return TestStores.open(
        directory, SMALL_BUFFERS, TUNING, new NoSyncFileSystem(new DiskFileSystem()));
  }

  private interface Write {
    void run(int thread, int write);
  }

  private static void inEachThread(Write write) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        running.add(
            executor.submit(
                () -> {
                  for (int n = 0; n < WRITES; n++) {
                    write.run(thread, n);
                  }
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  private static byte[] key(int thread, int write) {
    return ("key-" + write * 7919 % WRITES + "-" + thread).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(int thread, int write) {
    byte[] value = new byte[150 + thread];
    Arrays.fill(value, (byte) write);
    return value;
  }
}
