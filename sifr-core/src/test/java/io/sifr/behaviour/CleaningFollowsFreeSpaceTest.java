package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreIoException;
import io.sifr.event.Metric;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The less space is free, the sooner compactions commit: at most a quarter is not committed. */
class CleaningFollowsFreeSpaceTest {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;
  private volatile long freeBytes = Long.MAX_VALUE;

  @Test
  void atMostAQuarterOfItAndNothingWhereItIsUnknown() {
    ForwardingFileSystem disk =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public long usableBytes(Path asked) {
            if (freeBytes < 0) {
              throw new StoreIoException(asked, "measure", new IOException("unknown"));
            }
            return freeBytes;
          }
        };
    StoreOptions options = SmallStores.options().build();
    try (Store store = TestStores.open(directory, options, disk)) {
      assertThreshold(store, 100 * MIB, 20 * MIB);
      assertThreshold(store, 80 * MIB, 20 * MIB);
      assertThreshold(store, 8 * MIB, 2 * MIB);
      assertThreshold(store, 0, 0);
      assertThreshold(store, -1, 0);
    }
  }

  private void assertThreshold(Store store, long free, long expected) {
    freeBytes = free;
    assertThat(store.statistics().get(Metric.CLEANING_THRESHOLD_BYTES)).isEqualTo(20 * MIB);
    assertThat(store.statistics().get(Metric.CURRENT_CLEANING_THRESHOLD_BYTES)).isEqualTo(expected);
  }
}
