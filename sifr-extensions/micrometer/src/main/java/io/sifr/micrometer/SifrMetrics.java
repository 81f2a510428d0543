package io.sifr.micrometer;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sifr.Store;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows the statistics of an open store as meters of a registry: {@code sifr.store.…} of the store,
 * with its directory as tag {@code store}, and {@code sifr.database.…} of each database, with its
 * name as tag {@code database}, of at most the first 100. The guide lists them.
 *
 * <pre>{@code
 * try (Store store = Store.open(directory)) {
 *   SifrMetrics.bind(store, registry);
 *   …
 * }
 * }</pre>
 *
 * <p>Nothing is counted twice, and reads and writes of the store do not notice: when a meter is
 * read, the statistics are taken, at most once a second. That lists the store's directory and looks
 * at each SST's metadata, so it takes milliseconds where there are thousands of them.
 *
 * <p>The meters are removed when the store is closed, or with {@link #close}. Thread-safe.
 */
public final class SifrMetrics implements MeterBinder, AutoCloseable {
  private final Store store;
  private final Tags tags;

  // Both guarded by this.
  private final List<Binding> bindings = new ArrayList<>();
  private boolean isClosed;

  /**
   * Of a store, to be bound to registries.
   *
   * @throws IllegalStateException when the store is closed
   */
  public SifrMetrics(Store store) {
    this(store, Tags.empty());
  }

  /**
   * Of a store, to be bound to registries.
   *
   * @param tags of all meters, besides {@code store}; with Prometheus, all stores of a registry
   *     need tags of the same names
   * @throws IllegalStateException when the store is closed
   */
  public SifrMetrics(Store store, Iterable<Tag> tags) {
    this.store = store;
    this.tags = Tags.of("store", store.directory().toString()).and(tags);
    // Also keeps this, to which meters refer weakly, for as long as the store is open.
    store.whenClosing(this::close);
  }

  /**
   * Shows the statistics of a store in a registry until it is closed.
   *
   * @return what removes the meters earlier; need not be kept
   * @throws IllegalStateException when the store is closed
   */
  @CanIgnoreReturnValue
  public static SifrMetrics bind(Store store, MeterRegistry registry) {
    SifrMetrics metrics = new SifrMetrics(store);
    metrics.bindTo(registry);
    return metrics;
  }

  /**
   * Registers the meters.
   *
   * @throws IllegalStateException when the store, or this, is closed
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(store, registry, tags);
    boolean isLate;
    synchronized (this) {
      isLate = isClosed;
      if (!isLate) {
        bindings.add(binding);
      }
    }
    if (isLate) {
      throw new IllegalStateException("the store or its metrics are closed");
    }
    binding.register();
  }

  /** Removes the meters from all registries. Calls after the first have no effect. */
  @Override
  public void close() {
    List<Binding> all;
    synchronized (this) {
      isClosed = true;
      all = List.copyOf(bindings);
      bindings.clear();
    }
    all.forEach(Binding::remove);
  }

  /** The meters in one registry. */
  private static final class Binding {
    private final DatabaseMeters databases;
    private final RecentStatistics statistics;
    private final Meters meters;

    /** Guarded by this: the store may be closed before the meters are registered. */
    private boolean isRemoved;

    Binding(Store store, MeterRegistry registry, Tags tags) {
      databases = new DatabaseMeters(store, registry, tags);
      statistics =
          new RecentStatistics(store::statistics, registry.config().clock(), databases::update);
      meters = new Meters(registry, statistics, tags);
    }

    synchronized void register() {
      if (!isRemoved) {
        meters.registerAll();
        databases.update();
      }
    }

    synchronized void remove() {
      isRemoved = true;
      meters.remove();
      databases.close();
    }
  }
}
