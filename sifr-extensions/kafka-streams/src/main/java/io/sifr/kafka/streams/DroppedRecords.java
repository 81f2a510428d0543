package io.sifr.kafka.streams;

import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.apache.kafka.streams.processor.internals.metrics.TaskMetrics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts records that were too old for a store, with the metric {@code dropped-records} that Kafka
 * Streams has for its own stores of each task. There is no public way to that metric.
 */
final class DroppedRecords {
  private static final Logger LOG = LoggerFactory.getLogger(DroppedRecords.class);

  private final @Nullable Sensor sensor;

  DroppedRecords(StateStoreContext context) {
    StreamsMetrics metrics = context.metrics();
    this.sensor =
        metrics instanceof StreamsMetricsImpl streams
            ? TaskMetrics.droppedRecordsSensor(
                Thread.currentThread().getName(), context.taskId().toString(), streams)
            : null;
  }

  void count() {
    if (sensor != null) {
      sensor.record(1, System.currentTimeMillis());
    }
    LOG.warn("Skipping record for expired segment.");
  }
}
