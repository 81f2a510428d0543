package io.sifr.kafka.streams;

import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * What the configuration of Kafka Streams says about Sifr: each setting of a store is a property,
 * its name with {@value #PREFIX} before it.
 */
final class Settings {
  private static final String PREFIX = "sifr.";

  private Settings() {}

  /**
   * Those of a configuration.
   *
   * @throws ConfigException when there is no such setting, or a value is not allowed
   */
  static StoreOptions of(Map<String, ?> configuration) {
    StoreOptions.Builder builder = StoreOptions.builder();
    configuration.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX) && value != null) {
            set(builder, name, value.toString());
          }
        });
    StoreOptions options = builder.build();
    if (options.durability() == Durability.NONE) {
      throw new ConfigException(
          PREFIX + "durability",
          "NONE",
          "without a log, what is in a store and the offset up to which it was filled could"
              + " differ after a crash; allowed are BUFFERED and SYNC");
    }
    return options;
  }

  private static void set(StoreOptions.Builder builder, String name, String text) {
    try {
      builder.set(name.substring(PREFIX.length()), text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name, text, e.getMessage());
    }
  }
}
