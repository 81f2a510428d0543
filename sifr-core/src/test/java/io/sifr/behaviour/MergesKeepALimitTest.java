package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the limit is a byte a second, merges have begun and do not go on for years: what does not
 * wait for them then, never does.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MergesKeepALimitTest {
  private static final int KEYS = 1000;

  @TempDir Path directory;

  private static StoreOptions.Builder limited(long bytesPerSecond) {
    return SmallStores.options()
        .compactionBytesPerSecond(bytesPerSecond)
        .compaction(CompactionPolicy.splitForest(2))
        .maxSpaceAmplification(0);
  }

  /** Nothing is merged unless it is asked for. */
  private static StoreOptions.Builder limitedAndOnlyWhenCalled(long bytesPerSecond) {
    return limited(bytesPerSecond)
        .compaction(CompactionPolicy.splitForest(64))
        .readCompactionBytesPerSecond(0);
  }

  private static void writeTree(Database database, int version) {
    SmallStores.fill(database, 0, KEYS, version);
  }

  private static long limitMillis(Store store) {
    return store.statistics().get(Metric.RATE_LIMIT_MILLIS);
  }

  /** Writes trees until merges have used up the limit of this year, and the next. */
  private static int writeUntilMergesWait(Store store) {
    int version = 0;
    while (limitMillis(store) == 0) {
      writeTree(store.database(), ++version);
      store.flush();
    }
    return version;
  }

  @Test
  void writesFlushesAndReadsGoOn() {
    try (Store store = SmallStores.open(directory, limited(1).build())) {
      int version = writeUntilMergesWait(store);
      long flushed = store.statistics().get(Metric.FLUSH_BYTES);
      SmallStores.fill(store.database(), KEYS, KEYS + 10, version);
      store.flush();
      assertThat(store.statistics().get(Metric.FLUSH_BYTES)).isGreaterThan(flushed);
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, KEYS + 10, version));
    }
  }

  @Test
  void theStoreIsClosedAndAnotherGoesOnWithWhatIsLeft() {
    int version;
    try (Store store = SmallStores.open(directory, limited(1).build())) {
      version = writeUntilMergesWait(store);
      assertThat(store.statistics().get(Metric.RUNNING_COMPACTIONS)).isPositive();
    }
    try (Store store = SmallStores.open(directory, limited(0).build())) {
      store.awaitIdle();
      assertThat(limitMillis(store)).isZero();
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, KEYS, version));
    }
  }

  @Test
  void aDatabaseWhoseMergeWaitsIsDropped() {
    try (Store store = SmallStores.open(directory, limited(1).build())) {
      Database dropped = store.openOrCreateDatabase("dropped");
      while (limitMillis(store) == 0) {
        writeTree(dropped, 1);
        store.flush();
      }
      store.dropDatabase("dropped");
      store.awaitIdle();
      assertThat(store.statistics().get(Metric.RUNNING_COMPACTIONS)).isZero();
    }
  }

  @Test
  void compactKeepsItAndEndsWhenTheStoreIsClosed() throws InterruptedException {
    StoreOptions options = limitedAndOnlyWhenCalled(1).build();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread compacting;
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      writeTree(database, 1);
      database.compact(); // has nothing to pause for before it has written
      writeTree(database, 2);
      compacting = new Thread(() -> thrown.set(catchThrowable(database::compact)));
      compacting.start();
      Waiting.until("compact waits", () -> limitMillis(store) > 0);
      assertThat(compacting.isAlive()).isTrue();
    }
    compacting.join();
    assertThat(thrown.get()).isNotNull();
    try (Store store = SmallStores.open(directory, limitedAndOnlyWhenCalled(0).build())) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 2));
    }
  }

  /** The second merge begins when the first one has taken its time; a slow machine takes longer. */
  @Test
  void whatIsWrittenTakesAsLongAsTheLimitSays() {
    long bytesPerSecond = 128 << 10;
    try (Store store =
        SmallStores.open(directory, limitedAndOnlyWhenCalled(bytesPerSecond).build())) {
      writeTree(store.database(), 1);
      store.flush();
      writeTree(store.database(), 2);
      long start = System.nanoTime();
      store.database().compact();
      long written = store.statistics().get(Metric.COMPACTION_BYTES);
      writeTree(store.database(), 3);
      store.database().compact();
      assertThat(written).isGreaterThan(100 << 10);
      assertThat(System.nanoTime() - start)
          .isGreaterThanOrEqualTo(written * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
    }
  }

  @Test
  void withoutOneNothingPauses() {
    try (Store store = SmallStores.open(directory, limited(0).build())) {
      for (int version = 0; version < 8; version++) {
        writeTree(store.database(), version);
        store.flush();
      }
      store.awaitIdle();
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isPositive();
      assertThat(limitMillis(store)).isZero();
    }
  }
}
