package io.sifr.quarkus;

import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.Config;

/**
 * The settings of a store as properties, written as usual in Quarkus: {@code
 * sifr.settings.write-buffer-bytes} is the setting {@code writeBufferBytes}, in the environment
 * {@code SIFR_SETTINGS_WRITE_BUFFER_BYTES}.
 */
final class SettingProperties {
  private static final String PREFIX = "sifr.settings.";
  private static final Pattern CAPITAL = Pattern.compile("([A-Z])");
  private static final Pattern SEPARATED = Pattern.compile("[-_.](\\w)");

  private SettingProperties() {}

  /** The property of a setting. */
  static String property(Setting<?> setting) {
    return PREFIX + CAPITAL.matcher(setting.name()).replaceAll("-$1").toLowerCase(Locale.ROOT);
  }

  /**
   * The settings that properties set.
   *
   * @throws IllegalArgumentException when there is no such setting, or a value is not allowed; it
   *     names the property
   */
  static StoreOptions read(Config config) {
    StoreOptions.Builder options = StoreOptions.builder();
    for (Setting<?> setting : StoreOptions.settings()) {
      String property = property(setting);
      Optional<String> value = config.getOptionalValue(property, String.class);
      value.ifPresent(text -> set(options, property, setting.name(), text));
    }
    for (String name : config.getPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        refuseUnknown(config, name);
      }
    }
    return options.build();
  }

  /** A variable of the environment is among the names with a dot for each of its underscores. */
  private static void refuseUnknown(Config config, String name) {
    String meant = camelCase(name.substring(PREFIX.length()));
    for (Setting<?> setting : StoreOptions.settings()) {
      String property = property(setting);
      if (setting.name().equals(meant)) {
        if (!property.equals(name) && config.getOptionalValue(property, String.class).isEmpty()) {
          throw new IllegalArgumentException(name + " has to be written " + property);
        }
        return;
      }
    }
    // Says which names are similar.
    set(StoreOptions.builder(), name, meant, "");
  }

  private static void set(
      StoreOptions.Builder options, String property, String setting, String value) {
    try {
      options.set(setting, value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(property + ": " + e.getMessage(), e);
    }
  }

  private static String camelCase(String name) {
    return SEPARATED.matcher(name).replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }
}
