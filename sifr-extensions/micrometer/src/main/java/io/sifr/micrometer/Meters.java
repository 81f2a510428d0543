package io.sifr.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sifr.event.CompactionReason;
import io.sifr.event.LatencySummary;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Registers the metrics of a store as meters, and removes them again. Used by one thread. */
final class Meters {
  private final MeterRegistry registry;
  private final RecentStatistics statistics;
  private final Tags tags;
  private final List<Meter> registered = new ArrayList<>();

  Meters(MeterRegistry registry, RecentStatistics statistics, Tags tags) {
    this.registry = registry;
    this.statistics = statistics;
    this.tags = tags;
  }

  /** Registers those of the table of metrics. */
  void registerAll() {
    for (Metric<?> metric : Metric.all()) {
      if (metric.meter() != null) {
        register(metric, metric.meter());
      }
    }
  }

  private void register(Metric<?> metric, String meter) {
    if (metric == Metric.COMPACTIONS) {
      for (CompactionReason reason : CompactionReason.values()) {
        counter(
            metric,
            meter,
            tags.and("reason", tag(reason)),
            s -> s.get(Metric.COMPACTIONS).getOrDefault(reason, 0L));
      }
      return;
    }
    // A tag follows the name: sifr.store.memory{part=filters}.
    String[] parts = meter.split("[{=}]", -1);
    Tags all = parts.length == 1 ? tags : tags.and(parts[1], parts[2]);
    // Times are shown in seconds.
    double unit = metric.unit().equals("milliseconds") ? 1000 : 1;
    ToDoubleFunction<StoreStatistics> figure = s -> ((Number) s.get(metric)).doubleValue() / unit;
    switch (metric.kind()) {
      case TOTAL, COUNTER -> counter(metric, parts[0], all, figure);
      case GAUGE ->
          register(
              Gauge.builder(parts[0], statistics, recent -> figure.applyAsDouble(recent.get()))
                  .description(metric.meaning())
                  .baseUnit(baseUnit(metric))
                  .tags(all)
                  .register(registry));
      case LATENCY -> calls(metric, parts[0], s -> (LatencySummary) s.get(metric));
    }
  }

  private void counter(
      Metric<?> metric, String name, Tags all, ToDoubleFunction<StoreStatistics> figure) {
    register(
        FunctionCounter.builder(name, statistics, recent -> figure.applyAsDouble(recent.get()))
            .description(metric.meaning())
            .baseUnit(baseUnit(metric))
            .tags(all)
            .register(registry));
  }

  private static @Nullable String baseUnit(Metric<?> metric) {
    return switch (metric.unit()) {
      case "bytes" -> BaseUnits.BYTES;
      case "milliseconds" -> "seconds";
      default -> null;
    };
  }

  static String tag(CompactionReason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Calls of one kind: about how many, how long they took, and percentiles since the store was
   * opened.
   */
  private void calls(
      Metric<?> metric, String meter, Function<StoreStatistics, LatencySummary> latencies) {
    register(
        FunctionTimer.builder(
                meter.replace(".latency", "s"),
                statistics,
                recent -> count(latencies.apply(recent.get())),
                recent -> {
                  LatencySummary summary = latencies.apply(recent.get());
                  return summary.meanMicros() * count(summary);
                },
                TimeUnit.MICROSECONDS)
            .description("Calls; about, since one in 32 is measured. " + metric.meaning())
            .tags(tags)
            .register(registry));
    percentile(metric, meter, "0.5", latencies, LatencySummary::p50Micros);
    percentile(metric, meter, "0.99", latencies, LatencySummary::p99Micros);
    percentile(metric, meter, "0.999", latencies, LatencySummary::p999Micros);
    percentile(metric, meter, "1", latencies, LatencySummary::maxMicros);
  }

  private static long count(LatencySummary summary) {
    return summary.samples() * LatencySummary.SAMPLED_ONE_IN;
  }

  private void percentile(
      Metric<?> metric,
      String meter,
      String quantile,
      Function<StoreStatistics, LatencySummary> latencies,
      ToDoubleFunction<LatencySummary> micros) {
    register(
        TimeGauge.builder(
                meter,
                statistics,
                TimeUnit.MICROSECONDS,
                recent -> micros.applyAsDouble(latencies.apply(recent.get())))
            .description(metric.meaning() + " Percentiles since the store was opened.")
            .tags(tags.and("quantile", quantile))
            .register(registry));
  }

  private void register(Meter meter) {
    registered.add(meter);
  }

  /** Removes all that were registered. */
  void remove() {
    registered.forEach(registry::remove);
    registered.clear();
  }
}
