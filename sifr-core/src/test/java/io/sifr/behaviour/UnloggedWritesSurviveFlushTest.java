package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnloggedWritesSurviveFlushTest {
  private static final StoreOptions UNLOGGED =
      SmallStores.options().durability(Durability.NONE).build();

  @TempDir Path directory;

  @Test
  void andACleanClose() throws IOException {
    Path crashed = directory.resolve("crashed");
    Path directory = this.directory.resolve("store");
    try (Store store = SmallStores.open(directory, UNLOGGED)) {
      SmallStores.fill(store.database(), 0, 50, 1);
      store.flush();
      SmallStores.fill(store.database(), 50, 80, 1);
      store.awaitIdle();
      assertThat(SmallStores.files(directory, ".wal")).isEmpty();
      SmallStores.copy(directory, crashed);
    }
    try (Store store = SmallStores.open(crashed)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 50, 1));
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 80, 1));
      assertThat(store.statistics().get(Metric.LOG_BYTES)).isZero();
    }
  }
}
