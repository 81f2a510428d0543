package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Merges beside which is read pause now and then, and others do not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MergesStepBackTest {
  private static final int KEYS = 3000;
  private static final int ROUNDS = 5;

  @TempDir Path directory;

  private final AtomicBoolean over = new AtomicBoolean();

  private Store open(StoreOptions.Builder options) {
    return open(options, Tuning.DEFAULT);
  }

  private Store open(StoreOptions.Builder options, Tuning tuning) {
    return TestStores.open(directory, options.build(), tuning, new SlowlyMerging());
  }

  /** Compactions take long enough for reads beside them. */
  private static final class SlowlyMerging extends ForwardingFileSystem {
    SlowlyMerging() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public AppendFile create(Path file) {
      return new ForwardingAppendFile(super.create(file)) {
        @Override
        public void append(byte[] source, int offset, int length) {
          if (!Thread.currentThread().getName().startsWith("sifr-flush")) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
          }
          super.append(source, offset, length);
        }
      };
    }
  }

  private Thread reader(Store store) {
    Thread reader =
        new Thread(
            () -> {
              for (int i = 0; !over.get(); i++) {
                var unused = store.database().get(SmallStores.key(i % KEYS));
              }
            },
            "reader");
    reader.start();
    return reader;
  }

  private static long steppedBack(Store store) {
    return store.statistics().get(Metric.STEP_BACK_MILLIS);
  }

  private static void write(Store store, int round) {
    SmallStores.fill(store.database(), 0, KEYS, round);
    store.flush();
    store.awaitIdle();
  }

  @Test
  void besideReads() throws InterruptedException {
    try (Store store = open(SmallStores.options())) {
      Thread reader = reader(store);
      for (int round = 0; steppedBack(store) == 0; round++) {
        write(store, round);
      }
      over.set(true);
      reader.join();
    }
  }

  @Test
  void notWithoutReads() {
    try (Store store = open(SmallStores.options())) {
      for (int round = 0; round < ROUNDS; round++) {
        write(store, round);
      }
      assertThat(steppedBack(store)).isZero();
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isPositive();
    }
  }

  @Test
  void notWhenItIsSwitchedOff() throws InterruptedException {
    try (Store store = open(SmallStores.options(), Tuning.DEFAULT.withStepsBack(false))) {
      Thread reader = reader(store);
      for (int round = 0; round < ROUNDS; round++) {
        write(store, round);
      }
      over.set(true);
      reader.join();
      assertThat(steppedBack(store)).isZero();
    }
  }

  /** Somebody waits for it. */
  @Test
  void notWhileItIsCalled() throws InterruptedException {
    StoreOptions.Builder onlyWhenCalled =
        SmallStores.options()
            .compaction(CompactionPolicy.splitForest(64))
            .maxSpaceAmplification(0)
            .readCompactionBytesPerSecond(0);
    try (Store store = open(onlyWhenCalled)) {
      Thread reader = reader(store);
      for (int round = 0; round < ROUNDS; round++) {
        write(store, round);
        write(store, round);
        store.database().compact();
      }
      over.set(true);
      reader.join();
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isPositive();
      assertThat(steppedBack(store)).isZero();
    }
  }
}
