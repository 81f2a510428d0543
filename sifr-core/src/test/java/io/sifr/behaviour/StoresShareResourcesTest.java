package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Resources;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.event.ResourcesStatistics;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores that share resources need few threads, and do not depend on one another. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StoresShareResourcesTest {
  private static final int COMPACTION_THREADS = 1;

  @TempDir Path directory;

  private Set<Thread> before;
  private Resources resources;

  @BeforeEach
  void begin() {
    // The JVM's timer has a thread for all, which stays.
    new CompletableFuture<Void>().completeOnTimeout(null, 1, TimeUnit.MILLISECONDS).join();
    before = Thread.getAllStackTraces().keySet();
    resources = Resources.of(StoreOptions.builder().compactionThreads(COMPACTION_THREADS).build());
  }

  @AfterEach
  void nothingIsLeft() {
    resources.close();
    Waiting.until("all threads have ended", () -> threads().isEmpty());
  }

  private Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread))
        .map(Thread::getName)
        .filter(name -> name.startsWith("sifr-"))
        .filter(name -> !name.equals("sifr-lost")) // is one a process
        .collect(Collectors.toSet());
  }

  private static StoreOptions options() {
    return SmallStores.options().writeBufferBytes(4 << 20).build();
  }

  private Store open(String name) {
    return open(name, new DiskFileSystem());
  }

  private Store open(String name, Resources others) {
    return Store.builder(directory.resolve(name)).resources(others).open();
  }

  private Store open(String name, StoreFileSystem files) {
    return TestStores.open(
        directory.resolve(name), options(), new NoSyncFileSystem(files), resources);
  }

  /** Holds the threads that come to a point of a store, until they may go on. */
  private static class Held extends ForwardingFileSystem {
    private final Predicate<CrashPoint> where;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final List<CrashPoint> reached = new ArrayList<>();

    Held(BackgroundCrashPoint where) {
      super(new DiskFileSystem());
      this.where = point -> point == where;
    }

    @Override
    public void reached(CrashPoint point) {
      synchronized (reached) {
        reached.add(point);
      }
      if (where.test(point)) {
        begun.countDown();
        await(mayGoOn);
      }
    }

    boolean hasReached(CrashPoint point) {
      synchronized (reached) {
        return reached.contains(point);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Makes a compaction of three trees due, and has it offered to the threads. */
  private static void makeCompactionDue(Store store, int entries) {
    for (int version = 1; version <= 3; version++) {
      SmallStores.fill(store.database(), 0, entries, version);
      store.flush();
    }
    store.resumeCompactions();
  }

  /** Makes a small compaction due when a large one, which is held, has begun. */
  private static void makeSmallOneDueWithin(Held large, Store first, Store second) {
    makeCompactionDue(first, 2000);
    await(large.begun);
    makeCompactionDue(second, 20);
    assertThat(second.database().forest().trees()).isEqualTo(3);
    large.mayGoOn.countDown();
  }

  private static void assertCompacted(Store store, int entries) {
    store.awaitIdle();
    assertThat(store.database().forest().trees()).isEqualTo(1);
    assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, entries, 3));
  }

  @Test
  void storesGoOnWhenTheResourcesAreClosed() {
    try (Store first = open("first")) {
      try (Store second = open("second")) {
        resources.close();
        resources.close();
        makeCompactionDue(second, 100);
        assertCompacted(second, 100);
      }
      assertThatThrownBy(() -> open("third"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the resources for this store are closed");
      assertThat(directory.resolve("third")).doesNotExist();
      makeCompactionDue(first, 100);
      assertCompacted(first, 100);
    }
  }

  @Test
  void resourcesGoOnWhenStoresAreClosed() {
    for (int i = 0; i < 3; i++) {
      try (Store store = open("store" + i)) {
        makeCompactionDue(store, 100);
        assertCompacted(store, 100);
      }
    }
  }

  @Test
  void whatCannotBeOpenedTakesNoPart() {
    try (Store store = open("store")) {
      assertThatThrownBy(() -> open("store")).isInstanceOf(SifrException.class);
      resources.close();
    }
    Waiting.until("all threads have ended", () -> threads().isEmpty());
  }

  /** Resources are closed while stores are opened, used and closed by several threads. */
  @Test
  void closingHappensInAnyOrder() {
    AtomicInteger opened = new AtomicInteger();
    List<CompletableFuture<Void>> users = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String name = "store" + i;
      users.add(CompletableFuture.runAsync(() -> useUntilClosed(name, opened)));
    }
    Waiting.until("stores are opened", () -> opened.get() > 8);
    resources.close();
    users.forEach(CompletableFuture::join);
  }

  private void useUntilClosed(String name, AtomicInteger opened) {
    for (int i = 0; true; i++) {
      try (Store store = open(name)) {
        opened.incrementAndGet();
        SmallStores.fill(store.database(), 0, 20, i);
        store.flush();
        assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 20, i));
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("the resources for this store are closed");
        return;
      }
    }
  }

  @Test
  void whoAsksForThoseOfTheProcessWithTheSameSettingsGetsTheSame() {
    StoreOptions large = StoreOptions.builder().memoryBudgetBytes(64 << 20).build();
    StoreOptions leveled =
        StoreOptions.builder()
            .memoryBudgetBytes(64 << 20)
            .compaction(CompactionPolicy.leveled())
            .build();
    try (Resources first = Resources.ofProcess(large);
        Resources second = Resources.ofProcess(leveled);
        Resources other = Resources.ofProcess(StoreOptions.DEFAULT)) {
      Store store =
          Store.builder(directory.resolve("s"))
              .options(leveled.withoutShared())
              .resources(second)
              .open();
      assertThat(store.options().compaction()).isEqualTo(CompactionPolicy.leveled());
      assertThat(first.statistics().budgetBytes()).isEqualTo(64 << 20);
      assertThat(first.statistics().stores()).hasSize(1);
      assertThat(other.statistics().stores()).isEmpty();
      second.close();
      second.close(); // counts once
      open("t", first).close();
      first.close();
      assertThatThrownBy(() -> open("u", first)).isInstanceOf(IllegalStateException.class);
      try (Resources next = Resources.ofProcess(large)) {
        assertThat(next.statistics().stores()).isEmpty();
      }
      store.database().put(new byte[] {1}, new byte[] {2});
      store.close();
    }
  }

  static List<Setting<?>> sharedSettings() {
    return StoreOptions.settings().stream()
        .<Setting<?>>map(setting -> setting)
        .filter(Setting::isShared)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("sharedSettings")
  void aStoreSetsNothingOfWhatIsShared(Setting<?> setting) {
    StoreOptions options =
        StoreOptions.builder().set(setting.name(), setting.defaultValue()).build();
    assertThatThrownBy(
            () ->
                Store.builder(directory.resolve("s")).options(options).resources(resources).open())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(setting.name())
        .hasMessageContaining("Resources.of");
    assertThat(directory.resolve("s")).doesNotExist();
    Resources.of(options).close();
  }

  @Test
  void manyStoresNeedFewThreadsAndIdleOnesNone() {
    List<Store> stores = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      stores.add(open("store" + i));
    }
    assertThat(threads()).isEmpty();
    List<CompletableFuture<Void>> flushes = new ArrayList<>();
    for (int round = 1; round <= 3; round++) {
      for (Store store : stores) {
        SmallStores.fill(store.database(), 0, 100, round);
        flushes.add(CompletableFuture.runAsync(store::flush));
      }
      assertThat(threads()).hasSizeLessThan(8 + 4 + COMPACTION_THREADS + 2);
      flushes.forEach(CompletableFuture::join);
    }
    stores.forEach(store -> assertCompacted(store, 100));
    Waiting.until("all threads have ended", () -> threads().isEmpty());
    stores.forEach(Store::close);
  }

  @Test
  void aDiskThatHangsStopsOnlyItsOwnFlushes() {
    Held hangs = new Held(BackgroundCrashPoint.FLUSH_BEGUN);
    try (Store slow = open("slow", hangs);
        Store other = open("other")) {
      SmallStores.fill(slow.database(), 0, 100, 1);
      CompletableFuture<Void> flush = CompletableFuture.runAsync(slow::flush);
      await(hangs.begun);
      makeCompactionDue(other, 100);
      assertCompacted(other, 100);
      assertThat(flush).isNotDone();
      hangs.mayGoOn.countDown();
      flush.join();
    }
  }

  /** Those threads, too, that write the SSTs of many databases at once. */
  @Test
  void aDiskThatHangsDoesNotTakeTheThreadsThatWriteSsts() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    AtomicInteger hanging = new AtomicInteger();
    StoreFileSystem hangs =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".sst")) {
              hanging.incrementAndGet();
              StoresShareResourcesTest.await(mayGoOn);
            }
            return super.create(file);
          }
        };
    try (Store slow = open("slow", hangs);
        Store other = open("other")) {
      for (Store store : List.of(slow, other)) {
        for (int i = 0; i < 20; i++) {
          SmallStores.fill(store.openOrCreateDatabase("database" + i), 0, 10, 1);
        }
      }
      CompletableFuture<Void> flush = CompletableFuture.runAsync(slow::flush);
      Waiting.until("several hang", () -> hanging.get() == 8);
      other.flush();
      assertThat(flush).isNotDone();
      mayGoOn.countDown();
      flush.join();
    }
  }

  @Test
  void aDiskThatFailsStopsOnlyItsOwnStore() {
    FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
    Store failing = open("failing", faulty);
    try (Store other = open("other")) {
      SmallStores.fill(failing.database(), 0, 100, 1);
      faulty.failForGood(Operation.CREATE, file -> file.toString().endsWith(".sst"), 1, Fault.EIO);
      assertThatThrownBy(failing::flush).isInstanceOf(SifrException.class);
      makeCompactionDue(other, 100);
      assertCompacted(other, 100);
      faulty.heal();
      Waiting.until("it is tried again", () -> failing.database().forest().trees() == 1);
      assertThat(SmallStores.content(failing.database())).isEqualTo(SmallStores.filled(0, 100, 1));
    } finally {
      failing.close();
    }
  }

  /** All threads have a long compaction; it yields to a short one of another store. */
  @Test
  void aSmallCompactionDoesNotWaitForALargeOneOfAnotherStore() {
    Held large = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    AtomicBoolean smallWasFirst = new AtomicBoolean();
    Held small =
        new Held(BackgroundCrashPoint.COMPACTION_ENDED) {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == BackgroundCrashPoint.COMPACTION_ENDED) {
              smallWasFirst.set(!large.hasReached(BackgroundCrashPoint.COMPACTION_ENDED));
            }
          }
        };
    small.mayGoOn.countDown();
    try (Store first = open("large", large);
        Store second = open("small", small)) {
      makeSmallOneDueWithin(large, first, second);
      assertCompacted(second, 20);
      assertThat(smallWasFirst).isTrue();
      assertCompacted(first, 2000);
    }
  }

  /** All threads are at work on the long one, so the store has none left for another. */
  @Test
  void aSmallCompactionDoesNotWaitForALargeOneOfItsOwnStore() {
    AtomicReference<Store> opened = new AtomicReference<>();
    List<Integer> treesOfLarge = Collections.synchronizedList(new ArrayList<>());
    Held large =
        new Held(BackgroundCrashPoint.COMPACTION_CHOSEN) {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == BackgroundCrashPoint.COMPACTION_ENDED) {
              treesOfLarge.add(Objects.requireNonNull(opened.get()).database().forest().trees());
            }
          }
        };
    try (Store store = open("store", large)) {
      opened.set(store);
      Database other = store.createDatabase("other", DatabaseOptions.DEFAULT);
      makeCompactionDue(store, 2000);
      await(large.begun);
      for (int version = 1; version <= 3; version++) {
        SmallStores.fill(other, 0, 20, version);
        store.flush();
      }
      store.resumeCompactions();
      large.mayGoOn.countDown();
      assertCompacted(store, 2000);
      assertThat(other.forest().trees()).isEqualTo(1);
      assertThat(treesOfLarge).containsExactly(3, 1);
    }
  }

  /** One of about the same size waits for it. */
  @Test
  void aCompactionYieldsToMuchSmallerOnesOnly() {
    Held first = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    Held second = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    second.mayGoOn.countDown();
    try (Store one = open("one", first);
        Store two = open("two", second)) {
      makeCompactionDue(one, 2000);
      await(first.begun);
      makeCompactionDue(two, 1800);
      first.mayGoOn.countDown();
      await(second.begun);
      assertThat(first.hasReached(BackgroundCrashPoint.COMPACTION_ENDED)).isTrue();
      assertCompacted(two, 1800);
      assertCompacted(one, 2000);
    }
  }

  /**
   * It is closed while a compaction of another store, whose disk hangs, runs in place of its own.
   */
  @Test
  void closingAStoreDoesNotWaitForTheCompactionOfAnother() {
    Held large = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    Held hangs = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    Store second = open("small", hangs);
    try (Store first = open("large", large)) {
      makeSmallOneDueWithin(large, first, second);
      await(hangs.begun);
    }
    assertThat(hangs.hasReached(BackgroundCrashPoint.COMPACTION_ENDED)).isFalse();
    try (Store first = open("large")) {
      hangs.mayGoOn.countDown();
      assertCompacted(second, 20);
      assertCompacted(first, 2000);
    }
    second.close();
  }

  /** Its files are closed and may be deleted then. */
  @Test
  void closingAStoreWaitsForItsOwnCompaction() throws InterruptedException {
    Held held = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    Store store = open("store", held);
    makeCompactionDue(store, 500);
    await(held.begun);
    Thread closing = new Thread(store::close);
    closing.start();
    Waiting.until(
        "it waits", () -> closing.getState() == Thread.State.WAITING || !closing.isAlive());
    assertThat(closing.isAlive()).isTrue();
    held.mayGoOn.countDown();
    closing.join();
    assertThat(held.hasReached(BackgroundCrashPoint.COMPACTION_SUSPENDED)).isTrue();
  }

  @Test
  void aPausedStoreKeepsNoThread() {
    Held held = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    try (Store paused = open("paused", held);
        Store other = open("other")) {
      makeCompactionDue(paused, 500);
      await(held.begun);
      paused.pauseCompactions();
      held.mayGoOn.countDown();
      makeCompactionDue(other, 500);
      assertCompacted(other, 500);
      assertThat(paused.database().forest().trees()).isEqualTo(3);
      paused.resumeCompactions();
      assertCompacted(paused, 500);
    }
  }

  /** It is paused while it runs in place of another. */
  @Test
  void aPausedStoreDoesNotKeepTheOneInWhosePlaceItCompacts() {
    Held large = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    Held small = new Held(BackgroundCrashPoint.COMPACTION_CHOSEN);
    try (Store first = open("large", large);
        Store second = open("small", small)) {
      makeSmallOneDueWithin(large, first, second);
      await(small.begun);
      second.pauseCompactions();
      small.mayGoOn.countDown();
      assertCompacted(first, 2000);
      assertThat(second.database().forest().trees()).isEqualTo(3);
      second.resumeCompactions();
      assertCompacted(second, 20);
    }
  }

  /** What is shared refers to no store that is closed. */
  @Test
  void aClosedStoreIsForgotten() {
    try (Store other = open("other")) {
      makeCompactionDue(other, 100);
      WeakReference<StoreFileSystem> files = useAndClose();
      makeCompactionDue(other, 100);
      Waiting.until(
          "the store is collected",
          () -> {
            System.gc();
            return files.get() == null;
          });
    }
  }

  private WeakReference<StoreFileSystem> useAndClose() {
    StoreFileSystem files = new ForwardingFileSystem(new DiskFileSystem());
    try (Store store = open("closed", files)) {
      store.pauseCompactions();
      makeCompactionDue(store, 100);
      SmallStores.fill(store.database(), 0, 3000, 4);
      store.database().getAsync(SmallStores.key(1)).join();
    }
    return new WeakReference<>(files);
  }

  @Test
  void statisticsShowTheShareOfEachStore() throws IOException {
    try (Store large = open("large")) {
      try (Store small = open("small")) {
        SmallStores.fill(large.database(), 0, 1000, 1);
        SmallStores.fill(small.database(), 0, 10, 1);
        ResourcesStatistics both = resources.statistics();
        assertThat(both.stores().stream().map(ResourcesStatistics.Share::directory))
            .containsExactly(
                directory.resolve("large").toRealPath(), directory.resolve("small").toRealPath());
        long ofLarge = both.stores().get(0).used().writeBufferBytes();
        long ofSmall = both.stores().get(1).used().writeBufferBytes();
        assertThat(ofLarge).isGreaterThan(10 * ofSmall);
        assertThat(ofSmall)
            .isEqualTo(small.statistics().get(Metric.WRITE_BUFFER_BYTES))
            .isPositive();
        assertThat(both.used().writeBufferBytes()).isEqualTo(ofLarge + ofSmall);
        assertThat(both.used().bytes()).isBetween(ofLarge + ofSmall, both.budgetBytes());
        small.flush();
        SmallStores.content(small.database());
        ResourcesStatistics flushed = resources.statistics();
        assertThat(flushed.stores().get(1).used().writeBufferBytes()).isZero();
        assertThat(flushed.stores().get(1).used().blockCacheBytes()).isPositive();
        assertThat(flushed.used().blockCacheBytes())
            .isEqualTo(flushed.stores().get(1).used().blockCacheBytes());
      }
      ResourcesStatistics one = resources.statistics();
      assertThat(one.stores()).hasSize(1);
      assertThat(one.used().blockCacheBytes()).isZero();
    }
    assertThat(resources.statistics().stores()).isEmpty();
    assertThat(resources.statistics().used().writeBufferBytes()).isZero();
  }

  /** Of the log segments that are not needed any more, all stores together keep four. */
  @Test
  void storesKeepFewLogSegments() {
    int segmentBytes = 64 << 10;
    StoreOptions shared = StoreOptions.builder().logSegmentBytes(segmentBytes).build();
    StoreOptions options = SmallStores.options().logSegmentBytes(segmentBytes).build();
    try (Resources own = Resources.of(shared)) {
      List<Store> stores = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Path store = directory.resolve("store" + i);
        stores.add(
            TestStores.open(store, options, new NoSyncFileSystem(new DiskFileSystem()), own));
      }
      for (Store store : stores) {
        SmallStores.fill(store.database(), 0, 10_000, 1);
        store.flush();
        store.awaitIdle();
        assertThat(own.statistics().keptLogBytes()).isLessThanOrEqualTo(4L * segmentBytes);
      }
      assertThat(own.statistics().keptLogBytes()).isGreaterThan(2L * segmentBytes);
      stores.forEach(Store::close);
      assertThat(own.statistics().keptLogBytes()).isZero();
    }
  }

  /** Each in a thread of its own, with resources that are far too small for all. */
  @Test
  void manyStoresUnderLoadHoldWhatWasWritten() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    try (Resources scarce =
        Resources.of(
            StoreOptions.builder()
                .compactionThreads(2)
                .searchThreads(2)
                .maxOpenSsts(16)
                .blockCacheBytes(128 << 10)
                .totalWriteBufferBytes(512 << 10)
                .build())) {
      List<CompletableFuture<Void>> users = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Random random = new Random(seed + i);
        Path own = directory.resolve("store" + i);
        users.add(CompletableFuture.runAsync(() -> useAtRandom(own, random, scarce)));
      }
      users.forEach(CompletableFuture::join);
    }
  }

  private static void useAtRandom(Path own, Random random, Resources scarce) {
    Map<String, String> expected = new TreeMap<>();
    for (int session = 0; session < 3; session++) {
      try (Store store =
          TestStores.open(
              own,
              SmallStores.options().build(),
              new NoSyncFileSystem(new DiskFileSystem()),
              scarce)) {
        assertThat(SmallStores.content(store.database())).isEqualTo(expected);
        for (int i = 0; i < 2000; i++) {
          change(store.database(), expected, random);
        }
        assertThat(SmallStores.content(store.database())).isEqualTo(expected);
      }
    }
  }

  private static void change(Database database, Map<String, String> expected, Random random) {
    int number = random.nextInt(1500);
    String key = String.valueOf(SmallStores.text(SmallStores.key(number)));
    if (random.nextInt(4) == 0) {
      database.delete(SmallStores.key(number));
      expected.remove(key);
    } else {
      byte[] value = SmallStores.value(number, random.nextInt(1000));
      database.put(SmallStores.key(number), value);
      expected.put(key, String.valueOf(SmallStores.text(value)));
    }
    int other = random.nextInt(1500);
    assertThat(SmallStores.text(database.get(SmallStores.key(other))))
        .isEqualTo(expected.get(SmallStores.text(SmallStores.key(other))));
  }
}
