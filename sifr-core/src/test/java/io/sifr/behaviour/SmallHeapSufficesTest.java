package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.testing.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process with a heap of 48 MiB loads, reads and scans many times as much, with the default
 * settings and others. The JVM lets it have as much off the heap.
 */
@Tag("process")
@Tag("jvm")
class SmallHeapSufficesTest {
  @TempDir Path directory;

  /** Prints "done", or what was wrong. */
  static final class Child {
    private static final int ENTRIES = 300_000;
    private static final int THREADS = 4;
    private static final int VALUE_BYTES = 1000;

    private Child() {}

    public static void main(String[] args) throws Exception {
      StoreOptions.Builder options = StoreOptions.builder().readMode(ReadMode.valueOf(args[1]));
      if (!args[2].equals("auto")) {
        options.set("memoryBudgetBytes", args[2]);
      }
      AtomicBoolean over = new AtomicBoolean();
      try (Store store = SmallStores.open(Path.of(args[0]), options.build())) {
        long budget = store.statistics().get(Metric.BUDGET_BYTES);
        Thread watch = new Thread(() -> watch(budget, over), "watch");
        watch.setDaemon(true);
        watch.start();
        load(store);
        ExecutorService pool =
            Executors.newFixedThreadPool(
                2 * THREADS, new ThreadFactoryBuilder().setDaemon(true).build());
        List<Future<?>> runs = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          long seed = i;
          runs.add(pool.submit(() -> scan(store)));
          runs.add(pool.submit(() -> get(store, new Random(seed))));
        }
        for (Future<?> run : runs) {
          run.get();
        }
        pool.shutdown();
      }
      System.out.println(over.get() ? "more than the budget" : "done");
    }

    private static void load(Store store) {
      Random random = new Random(1);
      byte[] value = new byte[VALUE_BYTES];
      for (int i = 0; i < ENTRIES; i++) {
        random.nextBytes(value);
        store.database().put(SmallStores.key((int) (i * 7919L % ENTRIES)), value);
      }
    }

    private static void scan(Store store) {
      int count = 0;
      try (Cursor cursor = store.database().cursor()) {
        while (cursor.next()) {
          count++;
        }
      }
      check(count == ENTRIES, "a scan returned " + count);
    }

    private static void get(Store store, Random random) {
      for (int i = 0; i < 20_000; i++) {
        byte[] value = store.database().get(SmallStores.key(random.nextInt(ENTRIES)));
        check(value != null && value.length == VALUE_BYTES, "a get found another value");
      }
    }

    /** Memory off the heap is never more than the whole budget. */
    private static void watch(long budget, AtomicBoolean over) {
      while (true) {
        if (BlockMemory.bytesHeld() > budget) {
          over.set(true);
        }
        LockSupport.parkNanos(100_000);
      }
    }

    private static void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(what);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"AUTO, auto", "POSITIONAL, auto", "POSITIONAL, 16MiB"})
  void nothingRunsOutOfMemory(String mode, String budget) {
    List<String> heap = List.of("-Xmx48m");
    try (ChildJvm child = ChildJvm.start(heap, Child.class, directory.toString(), mode, budget)) {
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }
}
