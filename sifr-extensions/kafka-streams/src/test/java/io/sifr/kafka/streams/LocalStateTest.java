package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Resources;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.MockTime;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.internals.ThreadCache;
import org.apache.kafka.test.InternalMockProcessorContext;
import org.apache.kafka.test.StreamsTestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is on the disk of a store, and what is there after a restart. */
class LocalStateTest {
  private static final TopicPartition FIRST = new TopicPartition("changelog", 0);
  private static final TopicPartition SECOND = new TopicPartition("changelog", 1);
  private static final Bytes KEY = Bytes.wrap(new byte[] {1, 2, 3});
  private static final byte[] VALUE = {7};

  private final Metrics metrics = new Metrics();

  @TempDir Path directory;

  private StateStoreContext context(String... properties) {
    Properties settings = StreamsTestUtils.getStreamsConfig();
    for (int i = 0; i < properties.length; i += 2) {
      settings.put(properties[i], properties[i + 1]);
    }
    return new InternalMockProcessorContext<>(
        directory.toFile(),
        Serdes.Bytes(),
        Serdes.ByteArray(),
        new StreamsMetricsImpl(metrics, "test", new MockTime()),
        new StreamsConfig(settings),
        () -> {
          throw new UnsupportedOperationException("nothing is sent");
        },
        new ThreadCache(new LogContext(), 0, null),
        new MockTime());
  }

  private <S extends StateStore> S open(S store, String... properties) {
    store.init(context(properties), store);
    return store;
  }

  private static KeyValueStore<Bytes, byte[]> keyValueStore() {
    return SifrStores.keyValueStore("store").get();
  }

  private static WindowStore<Bytes, byte[]> windowStore(long retention) {
    return SifrStores.windowStore(
            "store", Duration.ofMillis(retention), Duration.ofMillis(1), false)
        .get();
  }

  @Test
  void largeValuesAreApartFromTheirKeys() throws IOException {
    byte[] large = new byte[3_000_000];
    new Random(1).nextBytes(large);
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    store.put(KEY, large);
    store.commit(Map.of(FIRST, 10L));
    store.close();
    try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
      assertThat(files).anyMatch(file -> file.toString().endsWith(".values"));
    }
    KeyValueStore<Bytes, byte[]> again = open(keyValueStore());
    assertThat(again.get(KEY)).isEqualTo(large);
    try (KeyValueIterator<Bytes, byte[]> all = again.all()) {
      assertThat(all.next().value).isEqualTo(large);
    }
    again.close();
  }

  @Test
  void dataAndOffsetsAreThereAfterARestart() {
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    store.put(KEY, VALUE);
    store.commit(Map.of(FIRST, 10L, SECOND, 20L));
    store.close();
    assertThat(directory.resolve("store")).isDirectory();

    store = open(keyValueStore());
    assertThat(store.get(KEY)).isEqualTo(VALUE);
    assertThat(store.committedOffset(FIRST)).isEqualTo(10);
    assertThat(store.committedOffset(SECOND)).isEqualTo(20);

    store.commit(Collections.singletonMap(FIRST, null));
    assertThat(store.committedOffset(FIRST)).isNull();
    assertThat(store.committedOffset(SECOND)).isEqualTo(20);
    store.commit(Map.of());
    assertThat(store.committedOffset(SECOND)).isNull();
    store.close();
  }

  @Test
  void anotherFormIsRefused() {
    open(keyValueStore()).close();
    assertThatThrownBy(() -> open(SifrStores.timestampedKeyValueStore("store").get()))
        .isInstanceOf(ProcessorStateException.class)
        .hasMessageContaining("Delete it");
    assertThatThrownBy(() -> open(windowStore(1_000_000)))
        .isInstanceOf(ProcessorStateException.class)
        .hasMessageContaining("segments of 500000 ms");
    open(keyValueStore()).close();
  }

  @Test
  void withTransactionsAStoreThatWasNotClosedIsNotUsed() throws Exception {
    String[] exactlyOnce = {
      StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2
    };
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore(), exactlyOnce);
    store.put(KEY, VALUE);
    Path copy = Files.createDirectory(directory.resolve("copy"));
    copy(directory.resolve("store"), copy);
    store.close();
    open(keyValueStore(), exactlyOnce).close();

    store.close();
    Store.destroy(directory.resolve("store"));
    copy(copy, Files.createDirectories(directory.resolve("store")));
    assertThatThrownBy(() -> open(keyValueStore(), exactlyOnce))
        .isInstanceOf(TaskCorruptedException.class);
    KeyValueStore<Bytes, byte[]> atLeastOnce = open(keyValueStore());
    assertThat(atLeastOnce.get(KEY)).isEqualTo(VALUE);
    atLeastOnce.close();
  }

  private static void copy(Path from, Path to) throws Exception {
    try (var files = Files.list(from)) {
      for (Path file : files.toList()) {
        if (Files.isRegularFile(file)) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    }
  }

  @Test
  void oldSegmentsAreDropped() {
    WindowStore<Bytes, byte[]> store = open(windowStore(120_000));
    for (long start = 0; start < 10_000_000; start += 30_000) {
      store.put(KEY, VALUE, start);
    }
    store.close();
    try (Store files = Store.builder(directory.resolve("store")).openReadOnly()) {
      assertThat(files.databaseNames().stream().filter(name -> name.startsWith("segment-")))
          .hasSizeBetween(2, 4);
    }
  }

  @Test
  void anIteratorPassesOverASegmentThatIsDroppedMeanwhile() {
    WindowStore<Bytes, byte[]> store = open(windowStore(120_000));
    store.put(KEY, VALUE, 0);
    store.put(KEY, VALUE, 1);
    store.put(KEY, VALUE, 110_000);
    try (KeyValueIterator<?, byte[]> iterator = store.all()) {
      iterator.next();
      store.put(KEY, VALUE, 190_000);
      int left = 0;
      while (iterator.hasNext()) {
        iterator.next();
        left++;
      }
      assertThat(left).isBetween(1, 2);
    }
    store.close();
  }

  @Test
  void afterCloseNothingIsRead() {
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    store.put(KEY, VALUE);
    KeyValueIterator<Bytes, byte[]> iterator = store.all();
    store.close();
    store.close();
    assertThatThrownBy(iterator::hasNext).isInstanceOf(InvalidStateStoreException.class);
    iterator.close();
    assertThatThrownBy(() -> store.get(KEY)).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> store.put(KEY, VALUE)).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(store::all).isInstanceOf(InvalidStateStoreException.class);
  }

  @Test
  void settingsAreChecked() {
    SifrDslStoreSuppliers suppliers = new SifrDslStoreSuppliers();
    suppliers.configure(Map.of("sifr.compression", "LZ4", "other", 1));
    assertThatThrownBy(() -> suppliers.configure(Map.of("sifr.compresion", "LZ4")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("sifr.compresion");
    assertThatThrownBy(() -> suppliers.configure(Map.of("sifr.compactionThreads", "many")))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> suppliers.configure(Map.of("sifr.durability", "NONE")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("SYNC");
  }

  @Test
  void storesOfAProcessShareTheirMemory() {
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    try (Resources resources = Resources.ofProcess(StoreOptions.DEFAULT)) {
      assertThat(resources.statistics().stores()).hasSize(1);
      store.close();
      assertThat(resources.statistics().stores()).isEmpty();
    }
  }

  @Test
  void metricsAreThereWhileTheStoreIsOpen() {
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    store.put(KEY, VALUE);
    assertThat(metric("disk-bytes")).isPositive();
    assertThat(metric("space-amplification")).isPositive();
    store.close();
    assertThat(metrics.metrics().keySet()).noneMatch(name -> name.name().equals("disk-bytes"));
  }

  @Test
  void aStoreWhoseMetricsAreRefusedIsNotLeftOpen() {
    KeyValueStore<Bytes, byte[]> store = open(keyValueStore());
    MetricName last = find("merge-debt").metricName();
    store.close();
    metrics.addMetric(last, (config, now) -> 0);
    assertThatThrownBy(() -> open(keyValueStore()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("merge-debt");
    metrics.removeMetric(last);
    assertThat(metrics.metrics().keySet()).noneMatch(name -> name.name().equals("disk-bytes"));
    open(keyValueStore()).close();
  }

  private Metric find(String name) {
    return metrics.metrics().values().stream()
        .filter(each -> each.metricName().name().equals(name))
        .findAny()
        .orElseThrow();
  }

  private double metric(String name) {
    Metric metric = find(name);
    assertThat(metric.metricName().tags()).containsEntry("sifr-state-id", "store");
    return (double) metric.metricValue();
  }
}
