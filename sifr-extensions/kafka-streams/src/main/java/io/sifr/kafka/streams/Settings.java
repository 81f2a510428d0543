package io.sifr.kafka.streams;

import io.sifr.config.Durability;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;

/**
 * What the configuration of Kafka Streams says about Sifr: each setting of a store is a property,
 * its name with {@value #PREFIX} before it.
 *
 * @param texts values by the name of a setting
 */
record Settings(Map<String, String> texts) {
  static final String PREFIX = "sifr.";

  private static final Set<String> OF_PROCESS =
      StoreOptions.settings().stream()
          .filter(Setting::isShared)
          .map(Setting::name)
          .collect(Collectors.toUnmodifiableSet());

  /**
   * Those of a configuration.
   *
   * @throws ConfigException when there is no such setting, or a value is not allowed
   */
  static Settings of(Map<String, ?> configuration) {
    Map<String, String> texts = new TreeMap<>();
    configuration.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX) && value != null) {
            texts.put(name.substring(PREFIX.length()), value.toString());
          }
        });
    Settings settings = new Settings(Map.copyOf(texts));
    settings.check();
    return settings;
  }

  private void check() {
    texts.forEach(
        (name, text) -> {
          try {
            StoreOptions.builder().set(name, text);
          } catch (IllegalArgumentException e) {
            throw new ConfigException(PREFIX + name, text, e.getMessage());
          }
        });
    if (ofStore().durability() == Durability.NONE) {
      throw new ConfigException(
          PREFIX + "durability",
          "NONE",
          "without a log, what is in a store and the offset up to which it was filled could"
              + " differ after a crash; allowed are BUFFERED and SYNC");
    }
  }

  /** The settings of what all stores of the process share. */
  StoreOptions ofProcess() {
    return options(true);
  }

  /** The settings that each store has for itself. */
  StoreOptions ofStore() {
    return options(false);
  }

  private StoreOptions options(boolean isShared) {
    StoreOptions.Builder builder = StoreOptions.builder();
    texts.forEach(
        (name, text) -> {
          if (OF_PROCESS.contains(name) == isShared) {
            builder.set(name, text);
          }
        });
    return builder.build();
  }
}
