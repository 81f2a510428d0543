package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.CrashPoints;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A database is dropped while a flush, an ingest or a compaction works on it, at each step that has
 * a name, and while one opens an SST: the work ends, and it is no failure of the store.
 */
@Tag("crash")
class DropsBesideBackgroundWorkTest {
  private static final int KEYS = 1500;

  /** Reached while the catalog is being changed, for which a drop waits. */
  private static final Set<CrashPoint> IN_COMMITS =
      Set.of(
          BackgroundCrashPoint.FLUSH_COMMITTED,
          BackgroundCrashPoint.INGEST_COMMITTED,
          BackgroundCrashPoint.COMPACTION_BEGUN,
          BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE,
          BackgroundCrashPoint.MOVE_DURABLE);

  private static final CrashPoint AFTER_A_DROP = BackgroundCrashPoint.COMPACTION_SUSPENDED;

  @TempDir Path directory;

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Steps steps = new Steps();

  /** Does something at steps of the store's work, on their threads. */
  private static final class Steps extends ForwardingFileSystem {
    private volatile Consumer<CrashPoint> whenReached = point -> {};
    private volatile Consumer<Path> whenOpened = file -> {};

    Steps() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public void reached(CrashPoint point) {
      whenReached.accept(point);
      super.reached(point);
    }

    @Override
    public RandomReadFile openForRead(Path file) {
      opened(file);
      return super.openForRead(file);
    }

    @Override
    public MappedRegion mapForRead(Path file, long size) {
      opened(file);
      return super.mapForRead(file, size);
    }

    private void opened(Path file) {
      if (file.toString().endsWith(".sst")) {
        whenOpened.accept(file);
      }
    }
  }

  static List<CrashPoint> points() {
    return CrashPoints.all().stream()
        .filter(point -> point instanceof BackgroundCrashPoint || point instanceof OutputCrashPoint)
        .filter(point -> point != AFTER_A_DROP && !IN_COMMITS.contains(point))
        .toList();
  }

  private Store open() {
    StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            if (!event.work().equals("open")) { // which a test has fail
              failures.add(event.cause());
            }
          }
        };
    StoreOptions options = SmallStores.options().compactionThreads(1).build();
    return TestStores.open(directory.resolve("store"), options, steps, listener);
  }

  /** All kinds of work, until the database is gone. */
  private void work(Store store, Database database) {
    try {
      SmallStores.fill(database, 0, KEYS, 1); // is moved
      for (int version = 2; version < 5; version++) {
        for (int i = 0; i < KEYS; i += 3) {
          database.put(key(i), value(i, version));
        }
        database.deleteRange(KeyRange.between(key(100 * version), key(100 * version + 50)));
      }
      store.ingest(Map.of(database, List.of(file(store))), IngestOptions.DEFAULT);
      store.awaitIdle();
      database.compact();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("dropped");
    }
  }

  private Path file(Store store) {
    try (SstFileWriter writer = TestStores.writer(store, directory.resolve("ingested"))) {
      for (int i = KEYS; i < KEYS + 100; i++) {
        writer.put(key(i), value(i, 1));
      }
      return writer.finish().files().get(0);
    }
  }

  /** Leaves trees that are to be compacted; one compaction has begun, if that is wanted. */
  private void leaveTrees(boolean haveBegun) {
    CountDownLatch begun = new CountDownLatch(1);
    List<Thread> compact = new ArrayList<>();
    try (Store store = open()) {
      Database gone = store.openOrCreateDatabase("gone");
      store.pauseCompactions(); // one that is requested begins, and waits
      for (int version = 1; version < 5; version++) {
        SmallStores.fill(gone, 0, 100, version);
        gone.deleteRange(KeyRange.between(key(10 * version), key(20 * version)));
        store.flush();
      }
      if (haveBegun) {
        steps.whenReached =
            point -> {
              if (point == BackgroundCrashPoint.COMPACTION_BEGUN) {
                begun.countDown();
              }
            };
        Thread thread = new Thread(() -> compact(gone));
        thread.start();
        compact.add(thread);
        Uninterruptibles.awaitUninterruptibly(begun);
      }
    }
    compact.forEach(Uninterruptibles::joinUninterruptibly);
    steps.whenReached = point -> {};
  }

  private static void compact(Database database) {
    try {
      database.compact();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("the store is closing");
    }
  }

  private void assertThatTheStoreGoesOn(Store store) {
    Database database = store.database();
    SmallStores.fill(database, 0, KEYS, 2);
    store.flush();
    database.compact();
    store.awaitIdle();
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, 2));
    assertThat(failures).isEmpty();
    assertThat(store.databaseNames()).containsExactly("default");
    Waiting.until(
        "its files are deleted",
        () -> {
          store.flush();
          return SmallStores.files(store.directory(), ".sst").size() == database.forest().ssts();
        });
  }

  /** Drops the database on this thread, once, when the store was opened by another one. */
  private static final class Drop {
    private final Thread opening = Thread.currentThread();
    private final CompletableFuture<Store> opened = new CompletableFuture<>();
    private final AtomicBoolean isDue = new AtomicBoolean(true);

    void now() {
      boolean isOpen = opened.isDone() || Thread.currentThread() != opening;
      if (isOpen && isDue.getAndSet(false)) {
        opened.join().dropDatabase("gone");
      }
    }

    boolean hasHappened() {
      return !isDue.get();
    }
  }

  @ParameterizedTest
  @MethodSource("points")
  void atAStep(CrashPoint at) {
    if (at == BackgroundCrashPoint.COMPACTION_RESUMED) {
      leaveTrees(true);
    }
    Drop drop = new Drop();
    steps.whenReached =
        point -> {
          if (point == at) {
            drop.now();
          }
        };
    try (Store store = open()) {
      Database gone = store.openOrCreateDatabase("gone");
      drop.opened.complete(store);
      work(store, gone);
      assertThat(drop.hasHappened()).isTrue();
      assertThatTheStoreGoesOn(store);
    }
  }

  /**
   * A compaction reads the range tombstones of its inputs before anything else, of which only the
   * first is still there.
   */
  @Test
  void whileACompactionOpensTheFirstInput() {
    leaveTrees(false);
    Drop drop = new Drop();
    AtomicReference<@Nullable Thread> compacts = new AtomicReference<>();
    steps.whenReached =
        point -> {
          if (point == BackgroundCrashPoint.COMPACTION_CHOSEN) {
            compacts.compareAndSet(null, Thread.currentThread());
          }
        };
    steps.whenOpened =
        file -> {
          if (compacts.get() == null) { // the policy does without
            throw new StoreIoException(file, "open", new IOException("not yet"));
          } else if (compacts.get() == Thread.currentThread()) {
            drop.now();
          }
        };
    try (Store store = open()) {
      drop.opened.complete(store);
      store.awaitIdle();
      assertThat(drop.hasHappened()).isTrue();
      assertThatTheStoreGoesOn(store);
    }
  }
}
