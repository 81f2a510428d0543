package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Changes;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ChangesGoneException;
import io.sifr.error.StallTimeoutException;
import io.sifr.error.StoreFailedException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When the device fails on which the log lies beside the store, another log takes its place. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LogIsReplacedTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final int MOST_IMAGES = 150;
  private static final int LARGE = 1000;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
  private final Queue<StoreListener.FailureEvent> told = new ConcurrentLinkedQueue<>();

  private static StoreOptions.Builder options(LogAccess access) {
    return SmallStores.options()
        .logAccess(access)
        .logSegmentBytes(64 << 10)
        .fastBytes(256 << 10)
        .fastDirectory(FAST);
  }

  private Store open(StoreOptions options) {
    StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            told.add(event);
          }
        };
    return TestStores.open(DIRECTORY, options, files, listener);
  }

  private List<Long> segments(Path directory) {
    return FileKind.WAL.numbersIn(disk.fileSystem(), directory);
  }

  private static boolean isLog(Path path) {
    return path.startsWith(FAST) && path.toString().endsWith(".wal");
  }

  /** What may fail while records are written or synced. */
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(LogAccess.WRITTEN, Operation.WRITE),
        Arguments.of(LogAccess.WRITTEN, Operation.SYNC),
        Arguments.of(LogAccess.MAPPED, Operation.FORCE));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void writesGoOnInTheStoresDirectory(LogAccess access, Operation operation) {
    StoreOptions options = options(access).build();
    try (Store store = open(options)) {
      Database database = store.database();
      fill(database, 0, 200, 1);
      store.sync();
      assertThat(segments(FAST)).isNotEmpty();
      assertThat(segments(DIRECTORY)).isEmpty();
      files.failForGood(operation, LogIsReplacedTest::isLog, 1, Fault.EIO);
      for (int i = 200; i < 300; i++) {
        database.put(key(i), value(i, 1), WriteOptions.SYNC);
      }
      fill(database, 300, 1000, 1);
      store.sync();
      assertThat(segments(DIRECTORY)).isNotEmpty();
      assertThat(content(database)).isEqualTo(filled(0, 1000, 1));
      assertThat(told).hasSize(1);
      StoreListener.FailureEvent event = told.element();
      assertThat(event.work()).isEqualTo("log");
      assertThat(event.cause()).hasMessageContaining(FAST.toString());
      assertThat(store.statistics().get(Metric.LOG_REPLACEMENTS)).isEqualTo(1);
      assertOpens(disk.crash(new Random(1)), options, 1000);
      assertOpens(disk.kill(), options, 1000);
    }
    files.heal();
    assertOpens(disk, options, 1000);
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
  }

  private static void assertOpens(CrashDisk left, StoreOptions options, int to) {
    try (Store store = TestStores.open(DIRECTORY, options, left.fileSystem())) {
      assertThat(content(store.database())).isEqualTo(filled(0, to, 1));
    }
  }

  @Test
  void whatIsLeftOfTheFailedLogIsDeleted() {
    try (Store store = open(options(LogAccess.WRITTEN).build())) {
      fill(store.database(), 0, 200, 1);
      List<Long> before = segments(FAST);
      files.failOnce(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
      store.sync();
      fill(store.database(), 200, 300, 1);
      Waiting.until("it is deleted", () -> segments(FAST).isEmpty());
      assertThat(segments(DIRECTORY)).isNotEmpty().doesNotContainAnyElementsOf(before);
    }
  }

  /** Whatever is left at any moment has all that was durable. */
  @ParameterizedTest
  @MethodSource("failures")
  void anyMomentOfItIsSafe(LogAccess access, Operation operation) {
    long seed = Long.getLong("sifr.crash.seed", System.nanoTime());
    Random random = new Random(seed);
    StoreOptions options = options(access).retainedLogBytes(random.nextInt(2) << 20).build();
    List<FrozenDisk> images = new ArrayList<>();
    List<Integer> durable = new ArrayList<>();
    AtomicInteger written = new AtomicInteger();
    try (Store store = open(options)) {
      Database database = store.database();
      fill(database, 0, 150, 1);
      store.sync();
      written.set(150);
      disk.watch(
          (call, moment) -> {
            if (call.changes() && images.size() < MOST_IMAGES) {
              durable.add(written.get());
              images.add(disk.freeze());
            }
          });
      files.failForGood(operation, LogIsReplacedTest::isLog, 1, Fault.EIO);
      for (int i = 150; i < 200; i++) {
        database.put(key(i), value(i, 1), WriteOptions.SYNC);
        written.set(i + 1);
      }
      disk.watch((call, moment) -> {});
    }
    assertThat(images).hasSizeGreaterThan(50);
    for (int i = 0; i < images.size(); i++) {
      CrashDisk image = random.nextBoolean() ? images.get(i).kill() : images.get(i).crash(random);
      try (Store store = TestStores.open(DIRECTORY, options, image.fileSystem())) {
        Map<String, String> found = content(store.database());
        assertThat(found).containsAllEntriesOf(filled(0, durable.get(i), 1));
        assertThat(found).isEqualTo(filled(0, found.size(), 1));
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", image " + i, e);
      }
    }
  }

  /** A reader of changes would miss what was not durable in the log that has failed. */
  @Test
  void theHistoryBeginsAnew() {
    StoreOptions options = options(LogAccess.WRITTEN).retainedLogBytes(1 << 20).build();
    try (Store store = open(options)) {
      Database database = store.database();
      fill(database, 0, 1000, 1);
      store.flush();
      fill(database, 1000, 1010, 1);
      try (Changes all = store.changes(1);
          Changes last = store.changes(1 + store.lastSequence())) {
        assertThat(all.next()).isNotNull();
        assertThat(last.next()).isNull();
        files.failForGood(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
        fill(database, 1010, 1020, 1);
        store.sync();
        fill(database, 1020, 1025, 1);
        assertThatThrownBy(
                () -> {
                  while (all.next() != null) {
                    // those that it has read already
                  }
                })
            .isInstanceOf(ChangesGoneException.class);
        assertThatThrownBy(last::next).isInstanceOf(ChangesGoneException.class);
      }
      try (Changes later = store.changes(store.oldestChange())) {
        int seen = 0;
        while (later.next() != null) {
          seen++;
        }
        assertThat(seen).isEqualTo(5);
      }
      assertThat(segments(FAST)).isEmpty(); // what was retained is not needed any more
      fill(database, 1025, 2000, 1);
    }
    files.heal();
    assertOpens(disk, options, 2000);
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
  }

  /** What is in memory has to be in SSTs first. */
  @Test
  void whileNothingCanBeFlushedWritesAreRefused() {
    StoreOptions options = options(LogAccess.WRITTEN).build();
    try (Store store = open(options)) {
      Database database = store.database();
      fill(database, 0, 100, 1);
      files.failForGood(Operation.CREATE, path -> path.toString().endsWith(".sst"), 1, Fault.EIO);
      files.failForGood(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
      assertThatThrownBy(() -> database.put(key(100), value(100, 1), WriteOptions.SYNC))
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining(FAST.toString());
      assertThatThrownBy(() -> database.put(key(101), value(101, 1)))
          .isInstanceOf(StoreFailedException.class);
      files.heal();
      Waiting.until("a write is taken", () -> isTaken(database, 101));
      assertThat(segments(DIRECTORY)).isNotEmpty();
      assertThat(content(database)).isEqualTo(filled(0, 102, 1));
    }
    assertOpens(disk, options, 102);
  }

  private static boolean isTaken(Database database, int number) {
    try {
      database.put(key(number), value(number, 1), WriteOptions.SYNC);
      return true;
    } catch (StoreFailedException e) {
      return false;
    }
  }

  @Test
  void whatDependsOnTheContentGoesOn() {
    try (Store store = open(options(LogAccess.WRITTEN).build())) {
      Database database = store.database();
      database.put(key(0), value(0, 1));
      files.failForGood(Operation.WRITE, LogIsReplacedTest::isLog, 1, Fault.EIO);
      assertThat(database.putIfAbsent(key(0), value(0, 2))).isEqualTo(value(0, 1));
      assertThat(database.compareAndSet(key(0), value(0, 1), value(0, 3))).isTrue();
      assertThat(database.compareAndSet(key(0), value(0, 1), value(0, 4))).isFalse();
      assertThat(segments(DIRECTORY)).isNotEmpty();
      assertThat(database.getAndPut(key(0), value(0, 5))).isEqualTo(value(0, 3));
    }
  }

  /** It is replaced once they are released. */
  @Test
  void whileWritesAreHeldForSstsItIsNotReplaced() {
    StoreOptions options = options(LogAccess.WRITTEN).build();
    Extensions extensions =
        Extensions.of(options).with(Tuning.DEFAULT.withWriteValuesOnceFrom(LARGE));
    try (StoreEngine engine =
        Opening.open(extensions, files, DIRECTORY, options, StoreListener.NONE, null)) {
      DatabaseHandle database = engine.database(Store.DEFAULT_DATABASE);
      DatabaseHandle apart =
          engine.createDatabase(
              "apart", DatabaseOptions.builder().separateValuesFrom(LARGE).build());
      engine.writes().put(database, key(0), value(0, 1), WriteOptions.BUFFERED);
      engine.writes().gate().hold(List.of(database));
      files.failForGood(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
      assertThatThrownBy(engine.state().log()::sync).isInstanceOf(StoreFailedException.class);
      assertWaitsForTheLog(engine, database, value(1, 1));
      assertWaitsForTheLog(engine, apart, new byte[LARGE]);
      assertThat(segments(DIRECTORY)).isEmpty();
      engine.writes().gate().release(0);
      engine.writes().put(database, key(1), value(1, 1), WriteOptions.SYNC);
      assertThat(segments(DIRECTORY)).isNotEmpty();
    }
  }

  private static void assertWaitsForTheLog(
      StoreEngine engine, DatabaseHandle database, byte[] value) {
    WriteOptions options = WriteOptions.builder().maxStall(Duration.ofMillis(300)).build();
    assertThatThrownBy(() -> engine.writes().put(database, key(1), value, options))
        .isInstanceOf(StallTimeoutException.class)
        .hasMessageContaining("has another log");
  }

  /** Whoever copies the log reads on. */
  @Test
  void whatIsHeldOfTheFailedLogStays() {
    StoreOptions options = options(LogAccess.WRITTEN).build();
    try (StoreEngine engine = Opening.open(files, DIRECTORY, options, StoreListener.NONE)) {
      DatabaseHandle database = engine.database(Store.DEFAULT_DATABASE);
      engine.writes().put(database, key(0), value(0, 1), WriteOptions.BUFFERED);
      List<Long> before = segments(FAST);
      engine.state().log().released().hold();
      files.failOnce(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
      engine.sync();
      engine.writes().put(database, key(1), value(1, 1), WriteOptions.SYNC);
      assertThat(segments(DIRECTORY)).isNotEmpty();
      assertThat(segments(FAST)).isEqualTo(before);
      engine.state().log().released().endHold();
    }
    assertThat(segments(FAST)).isEmpty();
    Map<String, String> all = new TreeMap<>(filled(0, 2, 1));
    try (Store store = TestStores.open(DIRECTORY, options, files)) {
      assertThat(content(store.database())).isEqualTo(all);
    }
  }

  /** It may hold more than is said: nothing that was written is trusted to it any more. */
  @Test
  void aFailureOfTheStoresDirectoryStopsWrites() {
    StoreOptions options = options(LogAccess.WRITTEN).build();
    try (Store store = open(options)) {
      fill(store.database(), 0, 100, 1);
      files.failOnce(Operation.SYNC, LogIsReplacedTest::isLog, 1, Fault.EIO);
      store.sync(); // another log is begun in the store's directory
      fill(store.database(), 100, 110, 1);
      files.failOnce(Operation.SYNC, path -> path.startsWith(DIRECTORY), 1, Fault.EIO);
      assertThatThrownBy(store::sync).isInstanceOf(StoreFailedException.class);
      assertThatThrownBy(() -> fill(store.database(), 110, 111, 1))
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining("takes no writes until it is reopened");
    }
    assertOpens(disk, options, 110);
  }
}
