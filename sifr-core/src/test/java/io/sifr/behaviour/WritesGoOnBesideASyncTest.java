package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.WriteOptions;
import io.sifr.testing.HeldForces;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class WritesGoOnBesideASyncTest {
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void andTheSyncedWriteReturnsOnlyWhenItIsDurable(@TempDir Path directory) throws Exception {
    HeldForces disk = new HeldForces();
    try (Store store = TestStores.open(directory, SmallStores.options().build(), disk)) {
      Database database = store.database();
      FutureTask<?> synced =
          new FutureTask<>(() -> database.put(key(0), value(0, 1), WriteOptions.SYNC), null);
      new Thread(synced, "synced-writer").start();
      disk.begun().acquire();

      database.put(key(1), value(1, 1), WriteOptions.BUFFERED);
      database.put(key(2), value(2, 1), WriteOptions.UNLOGGED);

      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 3, 1));
      assertThat(synced.isDone()).isFalse();
      disk.mayGoOn().release(100);
      synced.get();
    }
  }
}
