package io.sifr.kafka.streams;

import io.sifr.Resources;
import io.sifr.config.StoreOptions;
import java.util.HashMap;
import java.util.Map;

/**
 * One {@link Resources} for all state stores of a process that have the same settings, so that a
 * hundred tasks do not take a hundred caches and a hundred times the threads. It is made for the
 * first store and closed with the last.
 *
 * <p>Thread-safe.
 */
final class SharedByProcess {
  private static final Map<Settings, SharedByProcess> OPEN = new HashMap<>();

  private final Settings settings;
  private final Resources resources;
  private int users;

  private SharedByProcess(Settings settings) {
    this.settings = settings;
    this.resources = Resources.of(settings.ofProcess());
  }

  /** Those for a store that is about to be opened; to be {@linkplain #release released} once. */
  static SharedByProcess acquire(Settings settings) {
    synchronized (OPEN) {
      SharedByProcess shared = OPEN.computeIfAbsent(settings, SharedByProcess::new);
      shared.users++;
      return shared;
    }
  }

  void release() {
    synchronized (OPEN) {
      users--;
      if (users == 0) {
        OPEN.remove(settings);
        resources.close();
      }
    }
  }

  Resources resources() {
    return resources;
  }

  /** The settings of each store: those of the process are in the resources. */
  StoreOptions ofStore() {
    return settings.ofStore();
  }
}
