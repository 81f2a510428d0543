package io.sifr.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Times the flushes, compactions and stalls of a store, and counts failures of its background work,
 * as meters of a registry. To be given to the store that is opened:
 *
 * <pre>{@code
 * Store.builder(directory).listener(new SifrTimers(registry, directory)).open()
 * }</pre>
 *
 * <p>The meters are {@code sifr.store.flush}, {@code sifr.store.compaction} with a tag {@code
 * reason}, {@code sifr.store.stall}, each with the tags {@code store} and {@code database}, and
 * {@code sifr.store.failures} with {@code store} and {@code work}. They stay in the registry when
 * the store is closed and count on when it is opened again. Histograms are up to the registry, as
 * for every timer: {@code MeterFilter} sets them. Thread-safe.
 */
public final class SifrTimers implements StoreListener {
  private final MeterRegistry registry;
  private final Tags tags;

  /**
   * For a store that is about to be opened.
   *
   * @param directory of the store; the tag {@code store} is its absolute path
   */
  public SifrTimers(MeterRegistry registry, Path directory) {
    this.registry = registry;
    this.tags = Tags.of("store", directory.toAbsolutePath().normalize().toString());
  }

  @Override
  public void flushed(FlushEvent event) {
    timer("sifr.store.flush", "Flushes of write buffers", "database", event.database())
        .record(event.nanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void compacted(CompactionEvent event) {
    timer(
            "sifr.store.compaction",
            "Merges",
            "database",
            event.database(),
            "reason",
            Meters.tag(event.reason()))
        .record(event.nanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void stalled(StallEvent event) {
    timer("sifr.store.stall", "Delays of writers", "database", event.database())
        .record(event.nanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void failed(FailureEvent event) {
    Counter.builder("sifr.store.failures")
        .description("Failures of background work, and SSTs that cannot be read")
        .tags(tags.and("work", event.work()))
        .register(registry)
        .increment();
  }

  private Timer timer(String name, String description, String... more) {
    return Timer.builder(name).description(description).tags(tags.and(more)).register(registry);
  }
}
