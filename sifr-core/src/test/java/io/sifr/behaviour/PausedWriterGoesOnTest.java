package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
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

/** A writer that pauses because flushes are behind goes on when they are not any more. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedWriterGoesOnTest {
  /** At 2 MB/s it pauses for 20 seconds. */
  private static final int LARGE = 40 << 20;

  @TempDir Path directory;

  private final CountDownLatch flushesGoOn = new CountDownLatch(1);
  private final List<Long> stalls = new CopyOnWriteArrayList<>();

  private final class HangingFlushes extends ForwardingFileSystem {
    HangingFlushes() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public AppendFile create(Path file) {
      if (file.toString().endsWith(".sst")) {
        Uninterruptibles.awaitUninterruptibly(flushesGoOn);
      }
      return super.create(file);
    }
  }

  private final class StallListener implements StoreListener {
    @Override
    public void stalled(StallEvent event) {
      stalls.add(event.nanos());
    }
  }

  private Store open() {
    return TestStores.open(
        directory,
        SmallStores.options().build(),
        Tuning.DEFAULT.withImmutableMemtables(1),
        new HangingFlushes(),
        new StallListener());
  }

  private static boolean isPausing(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("pause"));
  }

  @Test
  void whenAllIsFlushed() throws InterruptedException {
    try (Store store = open()) {
      store.database().put(new byte[1], new byte[1]);
      Thread writer =
          new Thread(() -> store.database().put(new byte[2], new byte[LARGE]), "writer");
      writer.start();
      Waiting.until("it pauses", () -> isPausing(writer));
      flushesGoOn.countDown();
      writer.join();
      assertThat(stalls).hasSize(1);
      assertThat(stalls.get(0)).isBetween(1L, TimeUnit.SECONDS.toNanos(15));
    } finally {
      flushesGoOn.countDown();
    }
  }
}
