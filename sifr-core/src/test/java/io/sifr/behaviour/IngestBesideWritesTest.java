package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.IngestOptions;
import io.sifr.error.ConflictException;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What others see, and may do, while files are ingested. */
class IngestBesideWritesTest {
  private static final int KEYS = 300;

  @TempDir Path directory;

  private final Interruption interruption =
      new Interruption(new NoSyncFileSystem(new DiskFileSystem()));
  private final List<Thread> threads = new ArrayList<>();
  private Store store;
  private Database database;
  private List<Path> files;

  /** Does something at a step of an ingest, on its thread. */
  private static final class Interruption extends ForwardingFileSystem {
    private volatile CrashPoint at = BackgroundCrashPoint.INGEST_PUBLISHED;
    private volatile Runnable action = () -> {};
    private volatile Consumer<CrashPoint> all = point -> {};

    Interruption(NoSyncFileSystem delegate) {
      super(delegate);
    }

    @Override
    public void reached(CrashPoint point) {
      if (point == at) {
        action.run();
      }
      all.accept(point);
      super.reached(point);
    }
  }

  @BeforeEach
  void openStore() {
    store =
        TestStores.open(directory.resolve("store"), SmallStores.options().build(), interruption);
    database = store.database();
    SmallStores.fill(database, 0, KEYS, 1);
    try (SstFileWriter writer = TestStores.writer(store, directory.resolve("file"))) {
      for (int i = 0; i < KEYS; i++) {
        writer.put(key(i), value(i, 2));
      }
      files = writer.finish().files();
    }
  }

  @AfterEach
  void closeStore() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    store.close();
  }

  /** The steps between the last flush and the moment when the files are visible. */
  enum Step {
    NAMES_ARE_DURABLE(BackgroundCrashPoint.INGEST_FILES_DURABLE),
    EDIT_IS_DURABLE(BackgroundCrashPoint.INGEST_COMMITTED),
    TREES_ARE_IN_THE_VIEWS(BackgroundCrashPoint.INGEST_PUBLISHED);

    private final CrashPoint point;

    Step(CrashPoint point) {
      this.point = point;
    }
  }

  private void ingest(Step at, Runnable action) {
    AtomicBoolean done = new AtomicBoolean();
    interruption.at = at.point;
    interruption.action =
        () -> {
          action.run();
          done.set(true);
        };
    store.ingest(Map.of(database, files), IngestOptions.DEFAULT);
    assertThat(done).isTrue();
  }

  private void assertVersion(int version) {
    for (int i = 0; i < KEYS; i += 7) {
      assertThat(database.get(key(i))).isEqualTo(value(i, version));
    }
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, version));
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void whoReadsMeanwhileSeesNothingOfThem(Step at) {
    ingest(at, () -> assertVersion(1));
    assertVersion(2);
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void whoTookASnapshotMeanwhileNeverSeesAny(Step at) {
    List<Snapshot> snapshots = new ArrayList<>();
    List<Cursor> cursors = new ArrayList<>();
    ingest(
        at,
        () -> {
          snapshots.add(store.snapshot());
          cursors.add(database.cursor());
        });
    database.compact();
    try (Snapshot snapshot = snapshots.get(0);
        Cursor cursor = cursors.get(0)) {
      assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(0, KEYS, 1));
      for (int i = 0; i < KEYS; i++) {
        assertThat(database.get(key(i), ReadOptions.at(snapshot))).isEqualTo(value(i, 1));
      }
    }
    assertVersion(2);
  }

  @Test
  void aCompactionMeanwhileKeepsWhatReadersStillSee() {
    ingest(
        Step.TREES_ARE_IN_THE_VIEWS,
        () -> {
          database.compact();
          assertVersion(1);
        });
    assertVersion(2);
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void writesMeanwhileWaitAndCountMore(Step at) {
    Database other = store.openOrCreateDatabase("other");
    ingest(
        at,
        () -> {
          Thread same = writer(database);
          Thread another = writer(other);
          Waiting.until("writes to wait", () -> isWaiting(same) && isWaiting(another));
        });
    for (Thread thread : threads) {
      Waiting.until("writes to go on", () -> !thread.isAlive());
    }
    assertThat(database.get(key(1))).isEqualTo(value(1, 3));
    assertThat(other.get(key(1))).isEqualTo(value(1, 3));
    assertThat(database.get(key(2))).isEqualTo(value(2, 2));
    database.compact();
    assertThat(database.get(key(1))).isEqualTo(value(1, 3));
  }

  /** What is written to the database after its last flush would be above the files, and older. */
  @Test
  void writesToTheDatabaseWaitFromTheLastFlushOn() {
    Database other = store.openOrCreateDatabase("other");
    store.flush();
    database.put(key(2), value(2, 3)); // there is something for the first flush
    AtomicInteger flushes = new AtomicInteger();
    AtomicBoolean waits = new AtomicBoolean();
    interruption.at = BackgroundCrashPoint.FLUSH_BEGUN;
    interruption.action =
        () -> {
          if (flushes.incrementAndGet() == 1) {
            Thread early = writer(() -> database.put(key(4), value(4, 3)));
            Waiting.until("a write before it to go on", () -> !early.isAlive());
          } else {
            Thread same = writer(database);
            Thread another = writer(other);
            Waiting.until(
                "one write to wait and the other to go on",
                () ->
                    !another.isAlive()
                        && (!same.isAlive() || same.getState() == Thread.State.WAITING));
            waits.set(same.isAlive());
          }
        };
    store.ingest(Map.of(database, files), IngestOptions.DEFAULT);
    interruption.action = () -> {};
    assertThat(flushes).hasValue(2);
    assertThat(waits).isTrue();
    for (Thread thread : threads) {
      Waiting.until("writes to go on", () -> !thread.isAlive());
    }
    assertThat(database.get(key(1))).isEqualTo(value(1, 3));
    assertThat(database.get(key(2))).isEqualTo(value(2, 2));
    assertThat(database.get(key(4))).isEqualTo(value(4, 2));
  }

  /** What they depend on was read before; it is looked at again when the files are there. */
  @ParameterizedTest
  @EnumSource(Step.class)
  void writesThatDependOnWhatTheFilesChangeAreRefused(Step at) {
    Map<String, Object> outcomes = new ConcurrentHashMap<>();
    try (Snapshot before = store.snapshot()) {
      WriteBatch unchanged =
          new WriteBatch()
              .put(database, key(4), value(4, 3))
              .requireUnchanged(database, KeyRange.all(), before);
      ingest(
          at,
          () -> {
            writer(
                () ->
                    outcomes.put("set", database.compareAndSet(key(1), value(1, 1), value(1, 3))));
            writer(() -> outcomes.put("got", version(database.getAndPut(key(2), value(2, 3)))));
            Waiting.until(
                "writes to wait",
                () -> threads.stream().allMatch(IngestBesideWritesTest::isWaiting));
            // Who finds the trees in the view need not wait to be refused.
            Thread third = writer(() -> outcomes.put("conflict", keyOfConflict(unchanged)));
            Waiting.until("the third", () -> !third.isAlive() || isWaiting(third));
          });
      for (Thread thread : threads) {
        Waiting.until("writes to go on", () -> !thread.isAlive());
      }
    }
    assertThat(outcomes).containsEntry("set", false).containsEntry("got", "v2");
    assertThat(outcomes.get("conflict")).isNotEqualTo("none");
    assertThat(database.get(key(1))).isEqualTo(value(1, 2));
    assertThat(database.get(key(2))).isEqualTo(value(2, 3));
    assertThat(database.get(key(4))).isEqualTo(value(4, 2));
  }

  private String keyOfConflict(WriteBatch batch) {
    try {
      store.write(batch);
      return "none";
    } catch (ConflictException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * They were meant for a stage that a compaction of the other database passes by then, and come
   * above it. What was written for the database that is gone has been given up already.
   */
  @Test
  void aDatabaseIsDroppedMeanwhileAndAnotherIsCompacted() {
    Database gone = store.openOrCreateDatabase("gone");
    store.ingest(Map.of(database, write("large", 1, 0, 3000)), IngestOptions.DEFAULT);
    store.awaitIdle();
    store.pauseCompactions(); // one that is requested begins, and waits
    SmallStores.fill(database, 0, 10, 2);
    store.flush();
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    interruption.all =
        point -> {
          if (point == BackgroundCrashPoint.COMPACTION_BEGUN) {
            begun.countDown();
          } else if (point == BackgroundCrashPoint.INGEST_FILES_DURABLE
              && isFirst.getAndSet(false)) {
            store.dropDatabase("gone");
            writer(() -> database.compact(KeyRange.atLeast(key(0))));
            Uninterruptibles.awaitUninterruptibly(begun);
          }
        };
    try {
      store.ingest(
          Map.of(
              database, write("some", 3, 5000, 6500),
              gone, write("of it", 3, 5000, 5010)),
          IngestOptions.DEFAULT);
    } finally {
      store.resumeCompactions();
    }
    assertThat(isFirst).isFalse();
    store.awaitIdle();
    database.put(key(7000), value(7000, 4));
    store.flush();
    assertThat(database.get(key(5000))).isEqualTo(value(5000, 3));
    assertThat(store.databaseNames()).containsExactly("default");
  }

  private Thread writer(Database into) {
    return writer(() -> into.put(key(1), value(1, 3)));
  }

  private Thread writer(Runnable write) {
    Thread thread = new Thread(write);
    threads.add(thread);
    thread.start();
    return thread;
  }

  private static boolean isWaiting(Thread thread) {
    assertThat(thread.isAlive()).as("a write waits").isTrue();
    return thread.getState() == Thread.State.WAITING;
  }

  /** Writers, and readers of snapshots, beside one ingest after the other. */
  @Test
  void eachSnapshotSeesAllOfAnIngestOrNothing() throws Exception {
    Database other = store.openOrCreateDatabase("other");
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService pool = Executors.newCachedThreadPool();
    try {
      List<Future<?>> running = new ArrayList<>();
      running.add(pool.submit(() -> write(database, ended)));
      running.add(pool.submit(() -> write(other, ended)));
      running.add(pool.submit(() -> readSnapshots(other, ended)));
      running.add(pool.submit(() -> readSnapshots(other, ended)));
      for (int version = 3; version < 12; version++) {
        store.ingest(
            Map.of(database, write("a" + version, version), other, write("b" + version, version)),
            IngestOptions.DEFAULT);
      }
      ended.set(true);
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      ended.set(true);
      pool.shutdown();
    }
  }

  private List<Path> write(String name, int version, int from, int to) {
    try (SstFileWriter writer = TestStores.writer(store, directory.resolve(name))) {
      for (int i = from; i < to; i++) {
        writer.put(key(i), value(i, version));
      }
      return writer.finish().files();
    }
  }

  private List<Path> write(String name, int version) {
    try (SstFileWriter writer = TestStores.writer(store, directory.resolve(name))) {
      for (int i = 0; i < KEYS; i += 10) {
        writer.put(key(i), value(i, version));
      }
      return writer.finish().files();
    }
  }

  /** Other keys, so that there is always something in the write buffers. */
  private static void write(Database database, AtomicBoolean ended) {
    for (int i = 0; !ended.get(); i++) {
      database.put(key(5 + 10 * (i % (KEYS / 10))), value(i, 1));
    }
  }

  private void readSnapshots(Database other, AtomicBoolean ended) {
    while (!ended.get()) {
      try (Snapshot snapshot = store.snapshot()) {
        ReadOptions options = ReadOptions.at(snapshot);
        byte[] first = other.get(key(0), options);
        for (int i = 0; i < KEYS; i += 10) {
          assertThat(version(other.get(key(i), options))).isEqualTo(version(first));
          if (first != null) {
            assertThat(version(database.get(key(i), options))).isEqualTo(version(first));
          }
        }
      }
    }
  }

  private static String version(byte @Nullable [] value) {
    String text = SmallStores.text(value);
    return text == null ? "none" : text.substring(0, text.indexOf(' '));
  }

  /**
   * A compaction of all trees first makes them trees of the highest stage. An SST that is ingested
   * into it after the compaction was planned is in the way: another one is planned.
   */
  @ParameterizedTest
  @ValueSource(ints = {100, 300, 1000, 3000, 10_000})
  void aTreeThatIsIngestedWhereACompactionMovesOthersIsNoFailure(int count) {
    database.compact();
    SmallStores.fill(database, 0, 10, 3);
    store.flush();
    List<Path> more;
    try (SstFileWriter writer = TestStores.writer(store, directory.resolve("more"))) {
      for (int i = KEYS; i < KEYS + count; i++) {
        writer.put(key(i), value(i, 4));
      }
      more = writer.finish().files();
    }
    Thread caller = Thread.currentThread(); // no other compaction is meant
    AtomicInteger chosen = new AtomicInteger();
    interruption.at = BackgroundCrashPoint.COMPACTION_CHOSEN;
    interruption.action =
        () -> {
          if (Thread.currentThread() == caller && chosen.getAndIncrement() == 0) {
            database.ingest(more, IngestOptions.DEFAULT);
          }
        };
    database.compact();
    assertThat(chosen).hasPositiveValue();
    database.put(key(0), value(0, 5));
    assertThat(database.get(key(0))).isEqualTo(value(0, 5));
    assertThat(database.get(key(9))).isEqualTo(value(9, 3));
    assertThat(database.get(key(10))).isEqualTo(value(10, 1));
    assertThat(database.get(key(KEYS + count - 1))).isEqualTo(value(KEYS + count - 1, 4));
  }
}
