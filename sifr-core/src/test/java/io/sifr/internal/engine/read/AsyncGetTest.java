package io.sifr.internal.engine.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.TestEngines;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous gets over a disk whose reads end when the test says so. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AsyncGetTest {
  private static final int KEYS = 600;
  private static final int THREADS = 3;

  @TempDir Path directory;
  private ReadEpochs epochs;
  private SearchThreads threads;
  private Searchers searchers;
  private final SlowDisk disk = new SlowDisk();
  private StoreEngine engine;
  private DatabaseHandle database;
  private ReadPath reads;

  @BeforeEach
  void open() {
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(8 << 10)
            .splitUnitBytes(4 << 10)
            .filterBitsPerKey(0)
            .build();
    engine = TestEngines.open(directory, options);
    database = engine.openOrCreateDatabase("some");
    for (int round = 1; round < 4; round++) {
      for (int i = 0; i < KEYS; i += round) {
        engine.writes().put(database, key(i), key(i * round), WriteOptions.UNLOGGED);
      }
      engine.flush();
    }
    engine.awaitIdle();
    epochs = engine.epochs(); // the very ones, or files would be unmapped under the reads
    threads = new SearchThreads(THREADS);
    searchers = new Searchers(threads, epochs);
    reads =
        new ReadPath(
            epochs,
            new PointSearch(searchers, disk),
            () -> Long.MAX_VALUE >>> 10,
            SearchScheme.SERIAL,
            new LatencyHistogram(),
            new Counters.Reading().gets());
  }

  @AfterEach
  void close() {
    disk.free();
    epochs.drain();
    threads.close();
    engine.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static byte[] value(int number) {
    return key(number % 3 == 0 ? number * 3 : number % 2 == 0 ? number * 2 : number);
  }

  private CompletableFuture<byte[]> get(int number, SearchScheme scheme) {
    return reads.getAsync(database, key(number), StoreEngine.NOW, scheme, value -> value);
  }

  private List<CompletableFuture<byte[]>> getAll(SearchScheme scheme) {
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      futures.add(get(i, scheme));
    }
    return futures;
  }

  @ParameterizedTest
  @EnumSource
  void thousandsWaitForTheDiskWithoutTheirCallerOrThreadsOfTheirOwn(SearchScheme scheme) {
    List<CompletableFuture<byte[]>> futures = getAll(scheme);
    Waiting.until("all threads read", () -> disk.reading.get() == THREADS);
    assertThat(futures).noneMatch(CompletableFuture::isDone);
    disk.free();
    for (int i = 0; i < KEYS; i++) {
      assertThat(futures.get(i).join()).isEqualTo(value(i));
    }
    assertThat(disk.readers).hasSizeLessThanOrEqualTo(THREADS);
    assertThat(disk.readers).noneMatch(name -> name.equals(Thread.currentThread().getName()));
    assertThat(get(KEYS + 1, scheme).join()).isNull();
  }

  @Test
  void whatIsInMemoryIsThereAtOnce() {
    engine.writes().put(database, key(5), key(55), WriteOptions.UNLOGGED);
    assertDone(get(5, SearchScheme.ADAPTIVE), key(55));
    engine.writes().delete(database, key(6), WriteOptions.UNLOGGED);
    assertDone(get(6, SearchScheme.FIXED_COUNT), null);
    disk.isInMemory = true;
    assertDone(get(7, SearchScheme.SERIAL), key(7));
    assertThat(disk.readers).containsExactly(Thread.currentThread().getName());
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
  }

  private static void assertDone(CompletableFuture<byte[]> future, byte @Nullable [] expected) {
    assertThat(future).isCompleted();
    assertThat(future.join()).isEqualTo(expected);
  }

  /** The snapshot is gone when the get is done, and so are the versions it kept. */
  @Test
  void theValueIsThatOfTheCall() {
    CompletableFuture<byte[]> future;
    try (Snapshots.Handle snapshot = engine.acquireSnapshot()) {
      future =
          reads.getAsync(
              database, key(7), snapshot.sequence(), SearchScheme.SERIAL, value -> value);
    }
    engine.writes().put(database, key(7), key(77), WriteOptions.UNLOGGED);
    engine.compact(database);
    disk.free();
    assertThat(future.join()).isEqualTo(key(7));
  }

  @Test
  void aStoreThatIsClosedFailsWhatHasNotBegun() {
    List<CompletableFuture<byte[]>> futures = getAll(SearchScheme.SERIAL);
    Waiting.until("all threads read", () -> disk.reading.get() == THREADS);
    engine.state().lifecycle().close();
    assertThat(futures).noneMatch(CompletableFuture::isDone);
    disk.free();
    int failed = 0;
    for (int i = 0; i < KEYS; i++) {
      CompletableFuture<byte[]> future = futures.get(i);
      try {
        assertThat(future.join()).isEqualTo(value(i));
      } catch (CompletionException e) {
        assertThat(e).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(e).hasMessageContaining("the store is closed");
        failed++;
      }
    }
    assertThat(failed).isEqualTo(KEYS - THREADS);
    assertThatThrownBy(() -> get(1, SearchScheme.SERIAL).join())
        .hasMessageContaining("the store is closed");
  }

  @Test
  void aDatabaseThatIsDroppedFailsWhatHasNotBegun() {
    List<CompletableFuture<byte[]>> futures = getAll(SearchScheme.SERIAL);
    engine.dropDatabase("some");
    disk.free();
    for (CompletableFuture<byte[]> future : futures) {
      var unused = future.handle((value, failure) -> null).join();
    }
    assertThat(futures.stream().filter(CompletableFuture::isCompletedExceptionally).count())
        .isGreaterThanOrEqualTo(KEYS - THREADS);
    assertThatThrownBy(() -> futures.get(KEYS - 1).join())
        .hasMessageContaining("database some was dropped");
  }

  /** Nobody unmaps what a get in the queue has still to read. */
  @Test
  void whoWaitsIsInsideTheEpoch() {
    List<CompletableFuture<byte[]>> futures = getAll(SearchScheme.PRIORITY_AWARE);
    AtomicBoolean disposed = new AtomicBoolean();
    epochs.retire(() -> disposed.set(true));
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).isFalse();
    disk.free();
    CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
    epochs.drain();
    assertThat(disposed).isTrue();
  }

  @Test
  void whatIsCancelledIsNotRead() {
    List<CompletableFuture<byte[]>> futures = getAll(SearchScheme.SERIAL);
    Waiting.until("all threads read", () -> disk.reading.get() == THREADS);
    futures.forEach(future -> assertThat(future.cancel(true)).isTrue());
    int begun = disk.reads.get();
    CompletableFuture<byte[]> last = get(9, SearchScheme.SERIAL);
    disk.free();
    assertThat(last.join()).isEqualTo(value(9));
    // Those that had begun may have gone on to further trees.
    assertThat(disk.reads.get()).isLessThan(begun + 100);
    assertThatThrownBy(() -> futures.get(0).join()).isInstanceOf(CancellationException.class);
  }

  /** What hangs on a future may close the store: nothing of it is inside the epoch any more. */
  @Test
  void whatFollowsRunsAfterTheEpoch() {
    CompletableFuture<Void> closing =
        get(1, SearchScheme.SERIAL)
            .thenRun(
                () -> {
                  epochs.drain();
                  threads.close();
                });
    disk.free();
    assertThat(closing.join()).isNull();
  }

  /** Reads nothing before it is freed. */
  private static final class SlowDisk implements BlockAccess {
    private final CountDownLatch freed = new CountDownLatch(1);
    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final Set<String> readers = ConcurrentHashMap.newKeySet();
    private volatile boolean isInMemory;

    void free() {
      freed.countDown();
    }

    @Override
    public boolean isInMemory(SstReader reader, long block) {
      return isInMemory;
    }

    @Override
    public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
      readers.add(Thread.currentThread().getName());
      if (!isInMemory) {
        reads.incrementAndGet();
        reading.incrementAndGet();
        try {
          freed.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        } finally {
          reading.decrementAndGet();
        }
      }
      return STORE.search(reader, block, probe, into);
    }
  }
}
