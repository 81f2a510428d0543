package io.sifr.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.internal.state.DatabaseHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadMergesArePaidForTest {
  private static final int FLUSHES = 23;

  /** A page of padding in each SST that is written. */
  private static final double SLACK = 1.1;

  @Test
  void noMoreIsWrittenThanReadsHaveWasted(@TempDir Path directory) {
    StoreOptions options =
        StoreOptions.builder().writeBufferBytes(64 << 10).splitUnitBytes(64 << 10).build();
    try (StoreEngine engine = TestEngines.open(directory, options)) {
      DatabaseHandle database = engine.database("default");
      for (int i = 0; i < FLUSHES; i++) {
        for (int key = i; key < 300 * FLUSHES; key += FLUSHES) {
          engine.writes().put(database, bytes(key), new byte[100], WriteOptions.UNLOGGED);
        }
        engine.flush();
        engine.awaitIdle();
      }
      int trees = trees(engine, database);
      assertThat(trees).isGreaterThan(3);
      long before = written(engine);
      long wasted = 0;
      while (trees > 1) {
        database.wastedReads().sought(trees);
        wasted += 32L * 300 * (trees - 1);
        engine.awaitIdle();
        assertThat(written(engine) - before).isLessThanOrEqualTo((long) (SLACK * wasted));
        trees = trees(engine, database);
      }
      assertThat(written(engine)).isGreaterThan(before);
    }
  }

  private static byte[] bytes(int key) {
    return String.format("key%06d", key).getBytes(StandardCharsets.UTF_8);
  }

  private static int trees(StoreEngine engine, DatabaseHandle database) {
    return engine.forestShape(database).trees();
  }

  private static long written(StoreEngine engine) {
    return engine.statistics().get(Metric.COMPACTION_BYTES);
  }
}
