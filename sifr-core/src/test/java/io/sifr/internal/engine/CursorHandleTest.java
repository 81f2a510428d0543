package io.sifr.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.search.RangePlan;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CursorHandleTest {
  /** The view of a closed store stays outdated: looking for a newer one again and again is vain. */
  @Test
  @Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStoreClosedBetweenCheckAndSeekEndsTheSeek(@TempDir Path directory) {
    StoreEngine engine =
        StoreEngine.open(
            new NoSyncFileSystem(new DiskFileSystem()),
            directory,
            StoreOptions.DEFAULT,
            StoreListener.NONE);
    DatabaseHandle database = engine.database("default");
    engine.put(database, new byte[] {1}, new byte[] {1}, Durability.NONE);
    engine.flush();
    AtomicInteger checks = new AtomicInteger();
    CursorHandle cursor =
        new CursorHandle(
            database,
            engine.acquireSnapshot(),
            RangePlan.ALONE,
            () -> {
              if (checks.incrementAndGet() == 1) {
                engine.close();
                return false;
              }
              return true;
            },
            null,
            null);
    assertThatThrownBy(cursor::first)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is closed");
    assertThat(checks).hasValue(2);
    cursor.close();
  }
}
