package io.sifr.kafka.streams;

import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The settings of Sifr in the configuration of Kafka Streams: each setting of a store is a
 * property, its name with {@value #PREFIX} before it.
 */
final class Settings {
  private static final String PREFIX = "sifr.";

  /** A constant of {@link StreamsConfig} since 4.4. */
  private static final String TRANSACTIONAL = "enable.transactional.statestores";

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

  /**
   * Whether Kafka Streams commits to its state stores what belongs to a transaction when that is
   * committed, and relies on them for losing the rest. Versions before 4.4 do not, whatever the
   * configuration says.
   */
  static boolean isTransactional(Map<String, ?> configuration) {
    return StreamsConfig.configDef().names().contains(TRANSACTIONAL)
        && Boolean.parseBoolean(String.valueOf(configuration.get(TRANSACTIONAL)));
  }

  private static void set(StoreOptions.Builder builder, String name, String text) {
    try {
      builder.set(name.substring(PREFIX.length()), text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name, text, e.getMessage());
    }
  }
}
