package io.sifr.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SifrTimersTest {
  @TempDir Path directory;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void flushesAndMergesAreTimedForEachDatabase() {
    StoreOptions options =
        StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store =
        Store.builder(directory)
            .options(options)
            .listener(new SifrTimers(registry, directory))
            .open()) {
      Database other = store.openOrCreateDatabase("other");
      for (int i = 0; i < 4; i++) {
        other.put(new byte[] {1}, new byte[] {(byte) i});
        store.flush();
      }
      store.awaitIdle();
      long merges =
          store.statistics().get(Metric.COMPACTIONS).values().stream()
              .mapToLong(Long::longValue)
              .sum();
      assertThat(merges).isPositive();
      assertThat(registry.get("sifr.store.flush").tag("database", "other").timer().count())
          .isEqualTo(4);
      assertThat(registry.find("sifr.store.compaction").tag("database", "other").timers())
          .isNotEmpty()
          .allSatisfy(timer -> assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isPositive());
      assertThat(registry.find("sifr.store.flush").tag("database", "default").timer()).isNull();
    }
  }

  @Test
  void stallsAreTimedAndFailuresCounted() {
    SifrTimers timers = new SifrTimers(registry, directory);
    timers.stalled(new StoreListener.StallEvent("default", 2_000_000));
    timers.stalled(new StoreListener.StallEvent("default", 1_000_000));
    timers.failed(new StoreListener.FailureEvent("flush", new IllegalStateException("test")));
    assertThat(registry.get("sifr.store.stall").timer().count()).isEqualTo(2);
    assertThat(registry.get("sifr.store.stall").timer().totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(3);
    assertThat(registry.get("sifr.store.failures").tag("work", "flush").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("sifr.store.stall").timer().getId().getTag("store"))
        .isEqualTo(directory.toAbsolutePath().normalize().toString());
  }
}
