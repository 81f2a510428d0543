package io.sifr.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.LeakCountingFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** All actors at one store, for some seconds. */
final class StressRun {
  private static final Tuning TUNING =
      Tuning.DEFAULT.withCleaningThresholdBytes(64 << 10).withSstsBeforeGrowth(8);

  private static final int KEYS = 60_000;
  private static final int WRITERS = 2;
  private static final int GETTERS = 2;

  /**
   * Everything so small that flushes, merges and cleaning never rest, a cache that holds little, so
   * that threads search together, and fewer open SSTs than there may be: they are what the heap
   * consists of.
   */
  private static StoreOptions options(ReadMode reads, int filterBits) {
    return StoreOptions.builder()
        .writeBufferBytes(128 << 10)
        .splitUnitBytes(32 << 10)
        .logSegmentBytes(256 << 10)
        .maxLogBytes(4 << 20)
        .compaction(CompactionPolicy.splitForest(4))
        .compactionThreads(2)
        .maxOpenSsts(1000)
        .readMode(reads)
        .blockCacheBytes(512 << 10)
        .filterBitsPerKey(filterBits)
        .build();
  }

  private final Path directory;
  private final StoreOptions options;
  private final long seed;
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(new DiskFileSystem());
  private final StressModel model = new StressModel(KEYS);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final List<Actor> actors = new ArrayList<>();
  private volatile boolean ending;

  StressRun(Path directory, long seed, ReadMode reads, int filterBits) {
    this.directory = directory;
    this.options = options(reads, filterBits);
    this.seed = seed;
  }

  /**
   * Runs.
   *
   * @param seconds how long
   * @return what happened in each second
   */
  Timetable run(int seconds) throws InterruptedException {
    Timetable timetable = new Timetable(actors);
    try (Store store = TestStores.open(directory, options, TUNING, files, new Listener())) {
      StressModel.createDatabases(store);
      Random random = new Random(seed);
      for (int i = 0; i < WRITERS; i++) {
        actors.add(new Writing(stage(store, random), i, WRITERS));
      }
      for (int i = 0; i < GETTERS; i++) {
        actors.add(new Getting(stage(store, random)));
      }
      actors.add(new Ranging(stage(store, random)));
      actors.add(new IteratingSlowly(stage(store, random)));
      actors.add(new TakingSnapshots(stage(store, random)));
      actors.add(new Administrating(stage(store, random)));
      watch(store, timetable, seconds);
      checkAll(store);
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
    throwFailure();
    files.assertNothingOpen();
    assertThat(TestChecks.run(files, directory).findings()).isEmpty();
    return timetable;
  }

  private Stage stage(Store store, Random random) {
    return new Stage(store, model, new Random(random.nextLong()), () -> ending);
  }

  private void watch(Store store, Timetable timetable, int seconds) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (Actor actor : actors) {
      Thread thread = new Thread(() -> actFor(actor), actor.name());
      thread.start();
      threads.add(thread);
    }
    long start = System.nanoTime();
    for (int second = 1; second <= seconds && failure.get() == null; second++) {
      long left = start + TimeUnit.SECONDS.toNanos(second) - System.nanoTime();
      TimeUnit.NANOSECONDS.sleep(Math.max(0, left));
      timetable.secondPassed(store, files.openCount());
    }
    ending = true;
    for (Thread thread : threads) {
      thread.join();
    }
    throwFailure();
  }

  private void actFor(Actor actor) {
    try (actor) {
      while (!ending) {
        actor.act();
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
      ending = true;
    }
  }

  private void throwFailure() {
    Throwable e = failure.get();
    if (e != null) {
      throw new AssertionError("seed " + seed + ", " + options, e);
    }
  }

  /** All writers have ended, so it is known which version of each key counts. */
  private void checkAll(Store store) {
    store.awaitIdle();
    int[] written = model.oldest(0, model.keys());
    for (Database database : StressModel.databases(store)) {
      try (Cursor cursor = database.cursor()) {
        Iteration iteration =
            new Iteration(model, "end of " + database.name(), model.window(0, written));
        assertThat(iteration.forward(cursor)).isEqualTo(iteration.backward(cursor)).isPositive();
      }
    }
  }

  /** Nothing may fail. */
  private final class Listener implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      failure.compareAndSet(null, event.cause());
    }
  }
}
