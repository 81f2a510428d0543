package io.sifr.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.testing.NoSyncFileSystem;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writers begin flushes under the write lock. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FlushesBeginQuicklyTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.builder().writeBufferBytes(4 << 10).build();
  private static final int DATABASES = 500;

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  @TempDir Path directory;

  /** Holds the first flush when it has nearly ended. */
  private final class Holder implements StoreListener {
    @Override
    public void flushed(FlushEvent event) {
      arrived.countDown();
      try {
        mayGoOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Two fill a write buffer. */
  private static void put(StoreEngine engine, DatabaseHandle database) {
    engine.writes().put(database, new byte[] {1}, new byte[2500], WriteOptions.BUFFERED);
  }

  private static boolean waits(DatabaseHandle database) {
    return !database.view().get().immutables().isEmpty();
  }

  /** Else it would make a list of them; what it allocates tells. */
  @Test
  void aWriterDoesNotLookForBuffersWhileAFlushIsUnderWay() throws InterruptedException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes;
    try (StoreEngine engine =
        Opening.open(
            new NoSyncFileSystem(new DiskFileSystem()), directory, OPTIONS, new Holder())) {
      try {
        DatabaseHandle first = engine.database("default");
        List<DatabaseHandle> others = new ArrayList<>();
        for (int i = 0; i < DATABASES; i++) {
          others.add(engine.openOrCreateDatabase("database" + i));
        }
        put(engine, first);
        put(engine, first);
        arrived.await();
        for (DatabaseHandle database : others) {
          put(engine, database);
          put(engine, database);
        }
        assertThat(others).allMatch(database -> waits(database));
        long before = threads.getCurrentThreadAllocatedBytes();
        put(engine, first);
        bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(waits(first)).isTrue();
      } finally {
        mayGoOn.countDown();
      }
      engine.flush();
    }
    assertThat(bytes).isLessThan(DATABASES * 50);
  }
}
