package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Resources;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stores that share a budget of memory: none lives at the expense of another. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StoresShareMemoryTest {
  private static final int MIB = 1 << 20;

  /** Of these write buffers take half. */
  private static final int BUDGET = 2 * MIB;

  /** At least; an entry takes some 110 bytes. */
  private static final int ENTRIES_PER_BLOCK = 30;

  /** Half a megabyte. */
  private static final int USED = 5000;

  @TempDir Path directory;

  private final Resources resources =
      Resources.of(StoreOptions.builder().memoryBudgetBytes(BUDGET).build());

  private Store open(String name, StoreFileSystem files) {
    StoreOptions options =
        SmallStores.options().writeBufferBytes(16 * MIB).readMode(ReadMode.POSITIONAL).build();
    return TestStores.open(
        directory.resolve(name), options, new NoSyncFileSystem(files), resources);
  }

  private Store open(String name) {
    return open(name, new DiskFileSystem());
  }

  private static long writeBuffers(Store store) {
    return store.statistics().get(Metric.WRITE_BUFFER_BYTES);
  }

  private static long ssts(Store store) {
    return store.statistics().get(Metric.SSTS);
  }

  /** The disk of one hangs, and it takes what memory it gets; the other reads and writes on. */
  @Test
  void aStoreWhoseFlushesHangKeepsNoOtherWaiting() throws InterruptedException {
    AtomicBoolean mayFlush = new AtomicBoolean();
    StoreFileSystem hangs =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            if (point == BackgroundCrashPoint.FLUSH_BEGUN) {
              Waiting.until("flushes to be allowed", mayFlush::get);
            }
          }
        };
    AtomicInteger written = new AtomicInteger();
    try (Store slow = open("slow", hangs);
        Store other = open("other")) {
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; i < 30_000; i++) {
                  SmallStores.fill(slow.database(), i, i + 1, 1);
                  written.set(i);
                }
              },
              "writer");
      writer.start();
      Waiting.until("the writer to wait", () -> writer.getState() == Thread.State.WAITING);
      for (int i = 0; i < 30_000; i++) {
        SmallStores.fill(other.database(), i, i + 1, 1);
      }
      assertThat(other.statistics().get(Metric.STALL_MILLIS)).isLessThan(30_000);
      assertThat(written).as("the writer still waits").hasValueLessThan(29_999);
      assertThat(writeBuffers(slow) + writeBuffers(other)).isLessThan(BUDGET + MIB / 2);
      assertThat(SmallStores.content(other.database())).isEqualTo(SmallStores.filled(0, 30_000, 1));
      assertThat(ssts(other)).as("flushed, but not in tiny pieces").isBetween(1L, 1000L);
      mayFlush.set(true);
      writer.join();
      assertThat(SmallStores.content(slow.database())).isEqualTo(SmallStores.filled(0, 30_000, 1));
    } finally {
      mayFlush.set(true);
    }
  }

  /** By itself, though nobody writes to it any more. */
  @Test
  void theStoreThatHasMostIsFlushedForTheOthers() {
    try (Store large = open("large");
        Store small = open("small");
        Store writing = open("writing")) {
      SmallStores.fill(small.database(), 0, 10, 1);
      for (int i = 0; writeBuffers(large) < MIB / 4; i++) {
        SmallStores.fill(large.database(), i, i + 1, 1);
      }
      assertThat(ssts(large)).isZero();
      for (int i = 0; writeBuffers(writing) < MIB / 4 && ssts(writing) == 0; i++) {
        SmallStores.fill(writing.database(), i, i + 1, 1);
      }
      Waiting.until("the largest to be flushed", () -> ssts(large) > 0);
      assertThat(ssts(small)).isZero();
      assertThat(writeBuffers(small)).isPositive();
    }
  }

  /** The other's reads still find their blocks in memory. */
  @Test
  void aStoreThatIsReadOnceDoesNotEvictWhatAnotherReadsOften() {
    try (Store busy = open("busy");
        Store scanned = open("scanned")) {
      SmallStores.fill(busy.database(), 0, USED, 1);
      busy.database().compact();
      SmallStores.fill(scanned.database(), 0, 40_000, 1);
      scanned.flush();
      scanned.awaitIdle();
      // Caffeine begins to count uses when the cache is half full, and anew when it has grown.
      get(scanned, 40_000, ENTRIES_PER_BLOCK);
      for (int round = 0; round < 20; round++) {
        get(busy, USED, 1);
      }
      long before = reads(busy);
      get(scanned, 40_000, ENTRIES_PER_BLOCK); // each block once, or rarely twice
      try (Cursor cursor = scanned.database().cursor()) {
        while (cursor.next()) {
          // to the end
        }
      }
      get(busy, USED, 1);
      // All of them, if what was read last stayed.
      assertThat(reads(busy) - before).as("of some 150 blocks").isLessThan(100);
      assertThat(scanned.statistics().get(Metric.BLOCK_CACHE_BYTES)).isPositive();
    }
  }

  private static void get(Store store, int entries, int step) {
    for (int i = 0; i < entries; i += step) {
      assertThat(store.database().get(SmallStores.key(i))).isNotNull();
    }
  }

  private static long reads(Store store) {
    return store.statistics().get(Metric.FILE_READS);
  }
}
