package io.sifr.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SifrMetricsTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .writeBufferBytes(32 << 10)
          .compaction(CompactionPolicy.splitForest(2))
          .build();

  @TempDir Path directory;

  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
  private Store store;

  @BeforeEach
  void open() {
    store = Store.open(directory.resolve("store"), OPTIONS);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static void fill(Database database, int entries) {
    for (int i = 0; i < entries; i++) {
      database.put(("key" + i).getBytes(UTF_8), ("value" + i).repeat(10).getBytes(UTF_8));
    }
  }

  private void aSecondLater() {
    clock.add(Duration.ofNanos(RecentStatistics.AGE_NANOS));
  }

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounter().count();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  private Stream<String> names() {
    return registry.getMeters().stream().map(meter -> meter.getId().getName());
  }

  @Test
  void figuresAreThoseOfTheStatistics() {
    Database database = store.database();
    fill(database, 3000);
    for (int i = 0; i < 1000; i++) {
      assertThat(database.get(("key" + i).getBytes(UTF_8))).isNotNull();
    }
    store.flush();
    store.awaitIdle();
    SifrMetrics.bind(store, registry);
    StoreStatistics now = store.statistics();

    assertThat(counter("sifr.store.user.written")).isEqualTo((double) now.get(Metric.USER_BYTES));
    assertThat(counter("sifr.store.flush.written")).isEqualTo((double) now.get(Metric.FLUSH_BYTES));
    assertThat(counter("sifr.store.flushes"))
        .isEqualTo((double) now.get(Metric.FLUSHES))
        .isPositive();
    assertThat(counter("sifr.store.compaction.written"))
        .isEqualTo((double) now.get(Metric.COMPACTION_BYTES));
    assertThat(counter("sifr.store.compactions", "reason", "stage_full")).isPositive();
    assertThat(gauge("sifr.store.ssts")).isEqualTo((double) now.get(Metric.SSTS));
    assertThat(gauge("sifr.store.disk")).isEqualTo((double) now.get(Metric.DISK_BYTES));
    assertThat(gauge("sifr.store.memory", "part", "write_buffers"))
        .isEqualTo((double) now.get(Metric.WRITE_BUFFER_BYTES));
    assertThat(gauge("sifr.store.write.amplification"))
        .isEqualTo(now.get(Metric.WRITE_AMPLIFICATION));
    var puts = registry.get("sifr.store.puts").functionTimer();
    assertThat(puts.count()).isEqualTo(32.0 * now.get(Metric.PUT_MICROS).samples());
    assertThat(puts.mean(java.util.concurrent.TimeUnit.MICROSECONDS))
        .isCloseTo(now.get(Metric.PUT_MICROS).meanMicros(), within(1e-3));
    assertThat(
            registry
                .get("sifr.store.get.latency")
                .tag("quantile", "0.99")
                .timeGauge()
                .value(java.util.concurrent.TimeUnit.MICROSECONDS))
        .isCloseTo(now.get(Metric.GET_MICROS).p99Micros(), within(1e-3));
    assertThat(gauge("sifr.database.entries", "database", "default")).isEqualTo(3000);
    assertThat(gauge("sifr.database.disk", "database", "default"))
        .isEqualTo((double) database.forest().bytes());
  }

  @Test
  void bytesOnOtherDevicesAreShown() {
    StoreOptions options =
        StoreOptions.builder()
            .fastDirectory(directory.resolve("fast"))
            .coldDirectory(directory.resolve("cold"))
            .build();
    try (Store spread = Store.open(directory.resolve("spread"), options)) {
      fill(spread.database(), 3000);
      spread.database().compact();
      fill(spread.database(), 1000);
      spread.flush();
      SifrMetrics.bind(spread, registry);
      StoreStatistics now = spread.statistics();

      assertThat(gauge("sifr.store.disk.ssts.fast"))
          .isEqualTo((double) now.get(Metric.FAST_SST_BYTES))
          .isPositive();
      assertThat(gauge("sifr.store.disk.ssts.cold"))
          .isEqualTo((double) now.get(Metric.COLD_SST_BYTES))
          .isPositive();
      assertThat(counter("sifr.store.fast.written"))
          .isEqualTo((double) now.get(Metric.FAST_WRITTEN_BYTES))
          .isPositive();
      assertThat(counter("sifr.store.cold.written"))
          .isEqualTo((double) now.get(Metric.COLD_WRITTEN_BYTES))
          .isPositive();
    }
  }

  @Test
  void everyMeterHasAValueADescriptionAndTheStoreAsTag() {
    SifrMetrics.bind(store, registry);
    assertThat(registry.getMeters()).hasSizeGreaterThan(50);
    for (Meter meter : registry.getMeters()) {
      assertThat(meter.getId().getDescription()).as(meter.getId().getName()).isNotBlank();
      assertThat(meter.getId().getTag("store")).isEqualTo(store.directory().toString());
      meter.measure().forEach(figure -> assertThat(figure.getValue()).isFinite());
    }
  }

  @Test
  void statisticsAreTakenOnceASecond() {
    SifrMetrics.bind(store, registry);
    double before = counter("sifr.store.user.written");
    store.database().put(new byte[3], new byte[4]);
    assertThat(counter("sifr.store.user.written")).isEqualTo(before);
    aSecondLater();
    assertThat(counter("sifr.store.user.written")).isEqualTo(before + 7);
  }

  @Test
  void databasesComeAndGo() {
    SifrMetrics.bind(store, registry);
    fill(store.openOrCreateDatabase("other"), 100);
    store.flush();
    assertThat(registry.find("sifr.database.entries").tag("database", "other").gauge()).isNull();
    aSecondLater();
    assertThat(gauge("sifr.store.databases")).isEqualTo(2);
    assertThat(gauge("sifr.database.entries", "database", "other")).isEqualTo(100);
    store.dropDatabase("other");
    aSecondLater();
    assertThat(gauge("sifr.store.databases")).isEqualTo(1);
    assertThat(registry.find("sifr.database.entries").tag("database", "other").gauge()).isNull();
    assertThat(registry.find("sifr.database.entries").tag("database", "default").gauge())
        .isNotNull();
  }

  @Test
  void ofVeryManyDatabasesSomeAreShown() {
    for (int i = 0; i < DatabaseMeters.MOST_DATABASES + 5; i++) {
      var unused = store.openOrCreateDatabase("database" + i);
    }
    SifrMetrics.bind(store, registry);
    assertThat(registry.find("sifr.database.ssts").gauges()).hasSize(DatabaseMeters.MOST_DATABASES);
  }

  @Test
  void nothingIsLeftWhenTheStoreIsClosed() {
    SifrMetrics.bind(store, registry);
    store.close();
    assertThat(registry.getMeters()).isEmpty();
    try (Store again = Store.open(directory.resolve("store"), OPTIONS)) {
      SifrMetrics.bind(again, registry);
      assertThat(gauge("sifr.store.databases")).isEqualTo(1);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void nothingIsLeftWhenTheMetricsAreClosed() {
    SimpleMeterRegistry second = new SimpleMeterRegistry();
    try (SifrMetrics metrics = new SifrMetrics(store, Tags.of("service", "fruit"))) {
      metrics.bindTo(registry);
      metrics.bindTo(second);
      assertThat(second.get("sifr.store.ssts").tag("service", "fruit").gauge().value()).isZero();
    }
    assertThat(registry.getMeters()).isEmpty();
    assertThat(second.getMeters()).isEmpty();
    store.database().put(new byte[1], new byte[1]);
  }

  @Test
  void aClosedStoreHasNone() {
    SifrMetrics metrics = new SifrMetrics(store);
    store.close();
    assertThatThrownBy(() -> metrics.bindTo(registry)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> SifrMetrics.bind(store, registry))
        .isInstanceOf(IllegalStateException.class);
    assertThat(registry.getMeters()).isEmpty();
  }

  /** Meters refer weakly to what they show; here the program keeps nothing but the store. */
  @Test
  void whatIsBoundIsNotCollected() {
    SifrMetrics.bind(store, registry);
    System.gc();
    aSecondLater();
    assertThat(gauge("sifr.store.databases")).isEqualTo(1);
    assertThat(gauge("sifr.database.ssts", "database", "default")).isZero();
  }

  @Test
  void storesAreToldApart() {
    try (Store other = Store.open(directory.resolve("other"), OPTIONS)) {
      SifrMetrics.bind(store, registry);
      SifrMetrics.bind(other, registry);
      var unused = other.openOrCreateDatabase("more");
      aSecondLater();
      assertThat(gauge("sifr.store.databases", "store", store.directory().toString())).isEqualTo(1);
      assertThat(gauge("sifr.store.databases", "store", other.directory().toString())).isEqualTo(2);
    }
    assertThat(names()).contains("sifr.store.databases");
    assertThat(registry.find("sifr.store.databases").gauges()).hasSize(1);
  }
}
