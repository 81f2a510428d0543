package io.sifr.kafka.streams;

import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** The metrics that are shown, by their names in the registry. */
  private static final Map<String, Metric<? extends Number>> METRICS = new LinkedHashMap<>();

  static {
    METRICS.put("disk-bytes", Metric.DISK_BYTES);
    METRICS.put("live-bytes", Metric.LIVE_BYTES);
    METRICS.put("space-amplification", Metric.SPACE_AMPLIFICATION);
    METRICS.put("write-buffer-bytes", Metric.WRITE_BUFFER_BYTES);
    METRICS.put("block-cache-bytes", Metric.BLOCK_CACHE_BYTES);
    METRICS.put("memory-budget-used-bytes", Metric.BUDGET_USED_BYTES);
    METRICS.put("flushes-total", Metric.FLUSHES);
    METRICS.put("compacted-bytes-total", Metric.COMPACTION_BYTES);
    METRICS.put("write-stall-millis-total", Metric.STALL_MILLIS);
    METRICS.put("merge-debt", Metric.COMPACTION_DEBT);
  }

  private final StreamsMetrics metrics;
  private final List<Sensor> sensors = new ArrayList<>();

  private StoreMetrics(StreamsMetrics metrics) {
    this.metrics = metrics;
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
          (shown, metric) ->
              registered.add(
                  String.join(".", "sifr", context.taskId().toString(), name, shown),
                  new MetricName(shown, GROUP, metric.meaning(), tags),
                  new Reading(recent, metric)));
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

  /** A value that is read on demand, and to which nothing is recorded. */
  private record Reading(Recent recent, Metric<? extends Number> shown) implements MeasurableStat {
    @Override
    public void record(MetricConfig config, double ignored, long now) {
      throw new UnsupportedOperationException("this metric is read from the store");
    }

    @Override
    public double measure(MetricConfig config, long now) {
      return recent.at(now).get(shown).doubleValue();
    }
  }
}
