package io.sifr.ycsb;

import io.sifr.Store;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The {@code sifr.*} properties of a YCSB run: the directory of the store ({@value #DIRECTORY},
 * required) and its settings, by the names that {@link StoreOptions#settings} lists. Immutable.
 *
 * @param directory the store's directory, absolute
 * @param settings the settings that were given, by name
 */
record StoreProperties(Path directory, Map<String, String> settings) implements Target {
  static final String DIRECTORY = PREFIX + "dir";

  /** A copy that nobody can change. */
  StoreProperties {
    settings = Map.copyOf(settings);
  }

  /**
   * Reads and checks them; properties of others are left alone.
   *
   * @throws IllegalArgumentException when the directory is missing, a name that begins with {@value
   *     #PREFIX} is unknown, or a value is not allowed
   */
  static StoreProperties of(Properties properties) {
    String directory = properties.getProperty(DIRECTORY, "");
    if (directory.isBlank()) {
      throw new IllegalArgumentException(
          DIRECTORY
              + " is not set; say where the store lies with -p "
              + DIRECTORY
              + "=<directory>");
    }
    Map<String, String> settings = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(PREFIX) && !name.equals(DIRECTORY)) {
        settings.put(name.substring(PREFIX.length()), properties.getProperty(name).strip());
      }
    }
    StoreProperties read =
        new StoreProperties(Path.of(directory.strip()).toAbsolutePath().normalize(), settings);
    read.options(); // a wrong value is an error now, not when the store is opened
    return read;
  }

  /** The settings of the store. */
  StoreOptions options() {
    StoreOptions.Builder builder = StoreOptions.builder();
    settings.forEach(
        (name, value) -> {
          try {
            builder.set(name, value);
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                "property " + PREFIX + name + ": " + e.getMessage(), e);
          }
        });
    return builder.build();
  }

  @Override
  public Records open() {
    return new StoreRecords(Store.open(directory, options()));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(DIRECTORY + "=" + directory);
    new TreeMap<>(settings)
        .forEach((name, value) -> text.append(' ').append(PREFIX + name + "=" + value));
    return text.toString();
  }
}
