package io.sifr.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sifr.event.LatencySummary;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Registers meters of a store's statistics, and removes them again. Used by one thread. */
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

  /** What only grows and has no unit. */
  void counter(
      String name, String description, ToDoubleFunction<StoreStatistics> figure, String... more) {
    register(counterBuilder(name, description, figure, more).register(registry));
  }

  /** Bytes that only grow. */
  void byteCounter(String name, String description, ToDoubleFunction<StoreStatistics> figure) {
    register(
        counterBuilder(name, description, figure).baseUnit(BaseUnits.BYTES).register(registry));
  }

  /** Milliseconds that only grow, shown in seconds. */
  void timeCounter(String name, String description, ToDoubleFunction<StoreStatistics> millis) {
    ToDoubleFunction<StoreStatistics> seconds = s -> millis.applyAsDouble(s) / 1000;
    register(counterBuilder(name, description, seconds).baseUnit("seconds").register(registry));
  }

  private FunctionCounter.Builder<RecentStatistics> counterBuilder(
      String name, String description, ToDoubleFunction<StoreStatistics> figure, String... more) {
    return FunctionCounter.builder(name, statistics, recent -> figure.applyAsDouble(recent.get()))
        .description(description)
        .tags(tags.and(more));
  }

  /** What is so now, and has no unit. */
  void gauge(String name, String description, ToDoubleFunction<StoreStatistics> figure) {
    register(gaugeBuilder(name, description, figure).register(registry));
  }

  /** Bytes now. */
  void byteGauge(
      String name, String description, ToDoubleFunction<StoreStatistics> figure, String... more) {
    register(
        gaugeBuilder(name, description, figure, more).baseUnit(BaseUnits.BYTES).register(registry));
  }

  private Gauge.Builder<RecentStatistics> gaugeBuilder(
      String name, String description, ToDoubleFunction<StoreStatistics> figure, String... more) {
    return Gauge.builder(name, statistics, recent -> figure.applyAsDouble(recent.get()))
        .description(description)
        .tags(tags.and(more));
  }

  /**
   * Calls of one kind: about how many, how long they took, and percentiles since the store was
   * opened.
   */
  void calls(String call, Function<StoreStatistics, LatencySummary> latencies) {
    register(
        FunctionTimer.builder(
                "sifr.store." + call + "s",
                statistics,
                recent -> count(latencies.apply(recent.get())),
                recent -> {
                  LatencySummary summary = latencies.apply(recent.get());
                  return summary.meanMicros() * count(summary);
                },
                TimeUnit.MICROSECONDS)
            .description("Calls; about, since one in 32 is measured")
            .tags(tags)
            .register(registry));
    percentile(call, "0.5", latencies, LatencySummary::p50Micros);
    percentile(call, "0.99", latencies, LatencySummary::p99Micros);
    percentile(call, "0.999", latencies, LatencySummary::p999Micros);
    percentile(call, "1", latencies, LatencySummary::maxMicros);
  }

  private static long count(LatencySummary summary) {
    return summary.samples() * LatencySummary.SAMPLED_ONE_IN;
  }

  private void percentile(
      String call,
      String quantile,
      Function<StoreStatistics, LatencySummary> latencies,
      ToDoubleFunction<LatencySummary> micros) {
    register(
        TimeGauge.builder(
                "sifr.store." + call + ".latency",
                statistics,
                TimeUnit.MICROSECONDS,
                recent -> micros.applyAsDouble(latencies.apply(recent.get())))
            .description("Percentiles of calls since the store was opened")
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
