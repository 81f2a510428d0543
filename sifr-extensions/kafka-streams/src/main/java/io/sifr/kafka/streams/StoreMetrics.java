package io.sifr.kafka.streams;

import io.sifr.Store;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of a store in the registry of Kafka Streams, beside the metrics that it keeps of every
 * store: in the group {@value #GROUP}, with the same tags.
 */
final class StoreMetrics implements AutoCloseable {
  private static final String GROUP = "stream-state-metrics";

  private static final Map<String, Metric> METRICS = new LinkedHashMap<>();

  static {
    add("disk-bytes", "Bytes of all files", s -> s.space().diskBytes());
    add("live-bytes", "Bytes of the files that hold data", s -> s.space().liveBytes());
    add("space-amplification", "Bytes of files for a byte of data", s -> s.space().amplification());
    add("write-buffer-bytes", "Bytes of the write buffers", s -> s.memory().writeBufferBytes());
    add("block-cache-bytes", "Bytes of the block cache", s -> s.memory().blockCacheBytes());
    add(
        "memory-budget-used-bytes",
        "Bytes that all stores of the process use of their memory budget",
        s -> s.memory().budgetUsedBytes());
    add("flushes-total", "Write buffers that were flushed", s -> s.writes().flushes());
    add(
        "compacted-bytes-total",
        "Bytes that compactions have written",
        s -> s.compactions().writtenBytes());
    add(
        "write-stall-millis-total",
        "Milliseconds for which writes were held back",
        s -> s.writes().stallMillis());
    add("merge-debt", "How far compactions are behind", s -> s.backlog().mergeDebt());
  }

  private final StreamsMetrics metrics;
  private final List<Sensor> sensors = new ArrayList<>();

  private StoreMetrics(StreamsMetrics metrics) {
    this.metrics = metrics;
  }

  private record Metric(String description, ToDoubleFunction<StoreStatistics> value) {}

  private static void add(
      String name, String description, ToDoubleFunction<StoreStatistics> value) {
    METRICS.put(name, new Metric(description, value));
  }

  /** Registers those of an open store; if one cannot be registered, none is. */
  static StoreMetrics register(String name, String scope, Store store, StateStoreContext context) {
    StoreMetrics registered = new StoreMetrics(context.metrics());
    Map<String, String> tags = new LinkedHashMap<>();
    tags.put("thread-id", Thread.currentThread().getName());
    tags.put("task-id", context.taskId().toString());
    tags.put(scope + "-state-id", name);
    Recent recent = new Recent(store);
    try {
      METRICS.forEach(
          (metric, meaning) ->
              registered.add(
                  String.join(".", "sifr", context.taskId().toString(), name, metric),
                  new MetricName(metric, GROUP, meaning.description(), tags),
                  new Reading(recent, meaning.value())));
      return registered;
    } catch (RuntimeException | Error e) {
      registered.close();
      throw e;
    }
  }

  private void add(String sensorName, MetricName name, Reading reading) {
    Sensor sensor = metrics.addSensor(sensorName, Sensor.RecordingLevel.INFO);
    sensors.add(sensor);
    sensor.add(name, reading);
  }

  @Override
  public void close() {
    sensors.forEach(metrics::removeSensor);
  }

  /** The statistics of a store, collected once for a report of all its metrics. */
  private static final class Recent {
    private static final long MILLIS = 1_000;

    private final Store store;
    private long at = Long.MIN_VALUE;
    private @Nullable StoreStatistics statistics;

    Recent(Store store) {
      this.store = store;
    }

    synchronized StoreStatistics at(long now) {
      StoreStatistics known = statistics;
      if (known == null || now - at >= MILLIS || now < at) {
        known = store.statistics();
        statistics = known;
        at = now;
      }
      return known;
    }
  }

  /** A value that is read when somebody asks for it, and to which nothing is recorded. */
  private record Reading(Recent recent, ToDoubleFunction<StoreStatistics> value)
      implements MeasurableStat {
    @Override
    public void record(MetricConfig config, double ignored, long now) {
      throw new UnsupportedOperationException("this metric is read from the store");
    }

    @Override
    public double measure(MetricConfig config, long now) {
      return value.applyAsDouble(recent.at(now));
    }
  }
}
