package io.sifr.behaviour;

import static io.sifr.event.CompactionReason.REQUESTED;
import static io.sifr.event.CompactionReason.STAGE_FULL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.event.CompactionReason;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ListenerIsToldTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(1);

  private static final StoreOptions OPTIONS =
      SmallStores.options().writeBufferBytes(8 << 10).build();

  private final FaultyFileSystem disk =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
  @TempDir Path directory;

  /** Keeps what it is told, and fails each time, not only by an exception. */
  private static final class Recording implements StoreListener {
    final List<FlushEvent> flushes = new CopyOnWriteArrayList<>();
    final List<CompactionEvent> compactions = new CopyOnWriteArrayList<>();
    final List<StallEvent> stalls = new CopyOnWriteArrayList<>();
    final List<FailureEvent> failures = new CopyOnWriteArrayList<>();
    final CountDownLatch stalled = new CountDownLatch(1);

    @Override
    public void flushed(FlushEvent event) {
      flushes.add(event);
      throw new AssertionError("a listener's mistake");
    }

    @Override
    public void compacted(CompactionEvent event) {
      compactions.add(event);
      throw new IllegalStateException("a listener's mistake");
    }

    @Override
    public void stalled(StallEvent event) {
      stalls.add(event);
      stalled.countDown();
      throw new AssertionError("a listener's mistake");
    }

    @Override
    public void failed(FailureEvent event) {
      failures.add(event);
      throw new IllegalStateException("a listener's mistake");
    }
  }

  private final Recording listener = new Recording();

  private Store open(StoreFileSystem fileSystem) {
    return TestStores.open(directory, OPTIONS, TUNING, fileSystem, listener);
  }

  /** Where no flush ends before a writer was held back: else none might ever have to be. */
  private StoreFileSystem slowDisk() {
    Thread writer = Thread.currentThread();
    return new ForwardingFileSystem(disk) {
      @Override
      public AppendFile create(Path file) {
        if (file.toString().endsWith(".sst")) {
          Waiting.until(
              "a writer is held back",
              () -> listener.stalled.getCount() == 0 || waitsForFlush(writer));
        }
        return super.create(file);
      }
    };
  }

  /** It is told of that wait when it is over. */
  private static boolean waitsForFlush(Thread writer) {
    return Arrays.stream(writer.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("awaitFlush"));
  }

  @Test
  void ofFlushesCompactionsAndStallsAndTheStatisticsAgree() {
    long userBytes = 0;
    StoreStatistics last;
    try (Store store = open(slowDisk())) {
      for (int i = 0; i < 1500; i++) {
        byte[] value = SmallStores.value(i % 700, i);
        store.database().put(SmallStores.key(i % 700), value);
        userBytes += SmallStores.key(i).length + value.length;
      }
      store.database().delete(SmallStores.key(1));
      userBytes += SmallStores.key(1).length;
      store.flush();
      store.awaitIdle();
      store.database().compact();
      last = store.statistics();
      ForestShape forest = store.database().forest();
      assertThat(last.get(Metric.USER_BYTES)).isEqualTo(userBytes);
      assertThat(last.get(Metric.LOG_BYTES)).isGreaterThan(userBytes);
      assertThat(last.get(Metric.FLUSH_BYTES))
          .isPositive()
          .isEqualTo(listener.flushes.stream().mapToLong(flush -> flush.written().bytes()).sum());
      assertThat(last.get(Metric.COMPACTION_BYTES))
          .isPositive()
          .isEqualTo(
              listener.compactions.stream()
                  .mapToLong(compaction -> compaction.output().written().bytes())
                  .sum());
      assertThat(last.get(Metric.MOVED_BYTES))
          .isEqualTo(
              listener.compactions.stream()
                  .mapToLong(compaction -> compaction.output().moved().bytes())
                  .sum());
      assertThat(listener.compactions)
          .extracting(StoreListener.CompactionEvent::reason)
          .contains(STAGE_FULL);
      assertThat(listener.compactions.get(listener.compactions.size() - 1).reason())
          .isEqualTo(REQUESTED);
      for (CompactionReason reason : CompactionReason.values()) {
        assertThat(last.get(Metric.COMPACTIONS).get(reason))
            .isEqualTo(
                listener.compactions.stream().filter(event -> event.reason() == reason).count());
      }
      assertThat(listener.flushes.stream().mapToLong(StoreListener.FlushEvent::entries).sum())
          .isBetween(700L, 1501L);
      assertThat(last.get(Metric.TREES)).isEqualTo(forest.trees());
      assertThat(last.get(Metric.SSTS)).isEqualTo(forest.ssts());
      assertThat(last.get(Metric.LIVE_BYTES)).isEqualTo(forest.bytes());
      assertThat(last.get(Metric.DISK_BYTES)).isGreaterThan(last.get(Metric.LIVE_BYTES));
      assertThat(last.get(Metric.DATABASES)).isEqualTo(1);
      assertThat(last.get(Metric.WRITE_AMPLIFICATION)).isGreaterThan(1);
    }
    assertThat(listener.flushes).allMatch(event -> event.database().equals("default"));
    assertThat(listener.stalls).isNotEmpty().allMatch(event -> event.nanos() >= 0);
    assertThat(listener.failures).isEmpty();
    try (Store store = SmallStores.open(directory)) {
      StoreStatistics again = store.statistics();
      assertThat(again.get(Metric.USER_BYTES)).isEqualTo(last.get(Metric.USER_BYTES));
      assertThat(again.get(Metric.LOG_BYTES)).isEqualTo(last.get(Metric.LOG_BYTES));
      assertThat(again.get(Metric.FLUSH_BYTES)).isEqualTo(last.get(Metric.FLUSH_BYTES));
      assertThat(again.get(Metric.COMPACTION_BYTES)).isEqualTo(last.get(Metric.COMPACTION_BYTES));
      assertThat(again.get(Metric.MOVED_BYTES)).isEqualTo(last.get(Metric.MOVED_BYTES));
      assertThat(again.get(Metric.STALL_MILLIS))
          .isGreaterThanOrEqualTo(last.get(Metric.STALL_MILLIS));
    }
  }

  @Test
  void ofAFullDisk() {
    try (Store store = open(disk)) {
      disk.failForGood(Operation.CREATE, file -> file.toString().endsWith(".sst"), 1, Fault.ENOSPC);
      SmallStores.fill(store.database(), 0, 20, 1);
      assertThatThrownBy(store::flush).isInstanceOf(StoreFullException.class);
      assertThat(listener.failures)
          .isNotEmpty()
          .allSatisfy(
              event -> {
                assertThat(event.work()).isEqualTo("flush");
                assertThat(event.cause()).isInstanceOf(StoreFullException.class);
              });
      disk.heal();
      Waiting.until("the flush is made up for", () -> !listener.flushes.isEmpty());
    }
  }

  @Test
  void ofAFailureOfTheManifest() {
    Store store = open(disk);
    SmallStores.fill(store.database(), 0, 20, 1);
    disk.failOnce(Operation.WRITE, file -> file.toString().endsWith(".manifest"), 1, Fault.EIO);
    assertThatThrownBy(store::flush).isInstanceOf(StoreFailedException.class);
    store.close();
    assertThat(listener.failures)
        .singleElement()
        .satisfies(event -> assertThat(event.cause()).hasRootCauseMessage("Input/output error"));
    assertThat(listener.flushes).isEmpty();
  }
}
