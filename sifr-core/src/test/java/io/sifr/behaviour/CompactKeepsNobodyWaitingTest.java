package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * However long a compaction takes, what is flushed meanwhile is merged. (It was not, and in a store
 * that was compacted again and again under load thousands of trees lay in stage 1.)
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CompactKeepsNobodyWaitingTest {
  private static final int KEYS = 400;
  private static final int VERSIONS = 40;

  @TempDir Path directory;

  /** Holds up a thread that merges everything, when it has written something. */
  private static final class HeldCompaction extends ForwardingFileSystem {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private volatile @Nullable Thread caller;
    private final AtomicBoolean holds = new AtomicBoolean();

    HeldCompaction() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public void reached(CrashPoint point) {
      super.reached(point);
      if (point == BackgroundCrashPoint.COMPACTION_BEGUN && Thread.currentThread() == caller) {
        holds.set(true); // nothing else is merged at that time
      }
      if (point == BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED
          && holds.compareAndSet(true, false)) {
        caller = null;
        begun.countDown();
        Uninterruptibles.awaitUninterruptibly(mayGoOn);
      }
    }
  }

  @Test
  void withMergesThatAreDueMeanwhile() {
    HeldCompaction files = new HeldCompaction();
    try (Store store = open(files)) {
      Database database = store.database();
      fill(store, 0);
      CompletableFuture<Void> compaction = compact(database, files);
      for (int version = 1; version <= VERSIONS; version++) {
        fill(store, version);
      }
      Waiting.until("what was flushed is merged", () -> trees(database, 1) < 3);
      assertThat(compaction).isNotDone();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));

      files.mayGoOn.countDown();
      compaction.join();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));
      database.compact();
      assertThat(database.forest().trees()).isEqualTo(1);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));
    }
  }

  @Test
  void withMergesThatAreDueMeanwhileInTheRange() {
    HeldCompaction files = new HeldCompaction();
    try (Store store = open(files)) {
      Database database = store.database();
      fill(store, 0);
      database.compact(); // into a higher stage
      KeyRange range = KeyRange.lessThan(SmallStores.key(KEYS / 2));
      CompletableFuture<Void> compaction = run(() -> database.compact(range), files);
      for (int version = 1; version <= VERSIONS; version++) {
        fill(store, version);
      }
      Waiting.until("what was flushed is merged", () -> trees(database, 1) < 3);
      assertThat(compaction).isNotDone();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));

      files.mayGoOn.countDown();
      compaction.join();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));
    }
  }

  /** A second one waits for the first, and merges go on meanwhile. */
  @Test
  void withAnotherCompactionThatWaits() {
    HeldCompaction files = new HeldCompaction();
    try (Store store = open(files)) {
      Database database = store.database();
      fill(store, 0);
      CompletableFuture<Void> first = compact(database, files);
      fill(store, 1);
      Thread second = new Thread(database::compact);
      second.start();
      Waiting.until("the second waits", () -> second.getState() == Thread.State.WAITING);
      for (int version = 2; version <= VERSIONS; version++) {
        fill(store, version);
      }
      Waiting.until("what was flushed is merged", () -> trees(database, 1) < 3);
      assertThat(second.isAlive()).isTrue();
      files.mayGoOn.countDown();
      first.join();
      Uninterruptibles.joinUninterruptibly(second);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, VERSIONS));
    }
  }

  @Test
  void exceptOneOfTheSameKeys() {
    HeldCompaction files = new HeldCompaction();
    try (Store store = open(files)) {
      Database database = store.database();
      fill(store, 0);
      CompletableFuture<Void> first = compact(database, files);
      KeyRange range = KeyRange.atLeast(SmallStores.key(KEYS / 2));
      CompletableFuture<Thread> thread = new CompletableFuture<>();
      CompletableFuture<Void> second =
          CompletableFuture.runAsync(
              () -> {
                thread.complete(Thread.currentThread());
                database.compact(range);
              },
              // A thread of its own: the common pool may have one only, which the first holds.
              task -> new Thread(task).start());
      Waiting.until(
          "the second waits",
          () -> second.isDone() || thread.join().getState() == Thread.State.WAITING);
      files.mayGoOn.countDown();
      first.join();
      second.join();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, 0));
    }
  }

  /** The store was closed under it: the next one goes on where it was. */
  @Test
  void andGoesOnInTheNextProcess() {
    HeldCompaction files = new HeldCompaction();
    CompletableFuture<Void> compaction;
    try (Store store = open(files)) {
      fill(store, 0);
      compaction = compact(store.database(), files);
      fill(store, 1);
      files.mayGoOn.countDown();
    }
    assertThat(compaction.handle((done, failure) -> true).join()).isTrue();
    try (Store store = SmallStores.open(directory)) {
      store.awaitIdle();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
  }

  private Store open(HeldCompaction files) {
    return TestStores.open(directory, SmallStores.options().compactionThreads(2).build(), files);
  }

  private static void fill(Store store, int version) {
    SmallStores.fill(store.database(), 0, KEYS, version);
    store.flush();
  }

  private static CompletableFuture<Void> compact(Database database, HeldCompaction files) {
    return run(database::compact, files);
  }

  private static CompletableFuture<Void> run(Runnable task, HeldCompaction files) {
    CompletableFuture<Void> compaction =
        CompletableFuture.runAsync(
            () -> {
              files.caller = Thread.currentThread();
              task.run();
            });
    Waiting.until("the compaction has begun", () -> files.begun.getCount() == 0);
    return compaction;
  }

  private static long trees(Database database, int stage) {
    return database.forest().stages().stream()
        .filter(shape -> shape.number() == stage)
        .mapToLong(shape -> shape.trees().size())
        .sum();
  }
}
