package io.sifr.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sifr.Store;
import io.sifr.event.ForestShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;

/**
 * Meters of the databases of a store, each with its name as a tag. They come and go with the
 * databases. Thread-safe; a registry may read them while it registers one.
 */
final class DatabaseMeters {
  /** The first so many by name are shown: who collects metrics keeps each for months. */
  static final int MOST_DATABASES = 100;

  /**
   * The figures of a database.
   *
   * @param bytes of its SSTs
   * @param entries of its SSTs, with tombstones and older versions
   */
  private record Figures(int stages, int trees, int ssts, long bytes, long entries) {
    static Figures of(ForestShape forest) {
      return new Figures(
          forest.stages().size(),
          forest.trees(),
          forest.ssts(),
          forest.bytes(),
          forest.stages().stream()
              .flatMap(stage -> stage.trees().stream())
              .mapToLong(ForestShape.Tree::entries)
              .sum());
    }
  }

  private final Store store;
  private final MeterRegistry registry;
  private final Tags tags;
  private final Map<String, Figures> figures = new ConcurrentHashMap<>();

  /** Held while meters are registered or removed, not while they are read. */
  private final ReentrantLock lock = new ReentrantLock();

  // Both guarded by the lock.
  private final Map<String, List<Meter>> registered = new HashMap<>();
  private boolean isClosed;

  DatabaseMeters(Store store, MeterRegistry registry, Tags tags) {
    this.store = store;
    this.registry = registry;
    this.tags = tags;
  }

  /** Takes the figures of all databases that are there now; does nothing if another thread does. */
  void update() {
    if (lock.tryLock()) {
      try {
        if (!isClosed) {
          update(store.databaseNames());
        }
      } catch (IllegalStateException e) {
        // The store is being closed, and reports so in a moment.
      } finally {
        lock.unlock();
      }
    }
  }

  private void update(List<String> all) {
    List<String> shown = all.subList(0, Math.min(all.size(), MOST_DATABASES));
    Set<String> gone = new HashSet<>(registered.keySet());
    for (String name : shown) {
      try {
        figures.put(name, Figures.of(store.database(name).forest()));
      } catch (IllegalArgumentException | IllegalStateException e) {
        continue; // dropped meanwhile
      }
      gone.remove(name);
      if (!registered.containsKey(name)) {
        register(name);
      }
    }
    gone.forEach(this::remove);
  }

  private void register(String name) {
    List<Meter> meters = new ArrayList<>();
    registered.put(name, meters);
    meters.add(
        builder("disk", "SSTs of the database", name, Figures::bytes)
            .baseUnit(BaseUnits.BYTES)
            .register(registry));
    meters.add(
        builder("entries", "Entries of SSTs, tombstones included", name, Figures::entries)
            .register(registry));
    meters.add(builder("ssts", "SSTs of the database", name, Figures::ssts).register(registry));
    meters.add(builder("trees", "Trees of the database", name, Figures::trees).register(registry));
    meters.add(
        builder("stages", "Stages of the database", name, Figures::stages).register(registry));
  }

  private Gauge.Builder<DatabaseMeters> builder(
      String name, String description, String database, ToDoubleFunction<Figures> figure) {
    return Gauge.builder("sifr.database." + name, this, meters -> meters.figure(database, figure))
        .description(description)
        .tags(tags.and("database", database));
  }

  private double figure(String database, ToDoubleFunction<Figures> figure) {
    Figures known = figures.get(database);
    return known == null ? Double.NaN : figure.applyAsDouble(known);
  }

  private void remove(String name) {
    List<Meter> meters = registered.remove(name);
    if (meters != null) {
      meters.forEach(registry::remove);
    }
    figures.remove(name);
  }

  /** Removes all meters; {@link #update} does nothing from now on. */
  void close() {
    lock.lock();
    try {
      isClosed = true;
      Set.copyOf(registered.keySet()).forEach(this::remove);
    } finally {
      lock.unlock();
    }
  }
}
