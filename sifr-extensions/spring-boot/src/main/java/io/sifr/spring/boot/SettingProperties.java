package io.sifr.spring.boot;

import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The settings of a store as properties: {@code sifr.settings.write-buffer-bytes} is the setting
 * {@code writeBufferBytes}. Names are read as Spring Boot reads those of any property, {@code
 * SIFR_SETTINGS_WRITEBUFFERBYTES} in the environment, and the source of highest precedence counts:
 * so each setting is asked for. A map of them would have an entry for each spelling.
 */
final class SettingProperties {
  private static final String PREFIX = "sifr.settings";
  private static final Pattern CAPITAL = Pattern.compile("([A-Z])");

  private SettingProperties() {}

  /** The property of a setting. */
  static String property(Setting<?> setting) {
    return PREFIX
        + "."
        + CAPITAL.matcher(setting.name()).replaceAll("-$1").toLowerCase(Locale.ROOT);
  }

  /**
   * The settings that properties set.
   *
   * @throws InvalidConfigurationPropertyValueException when there is no such setting, or a value is
   *     not allowed; Spring Boot reports it with the place of the property
   */
  static StoreOptions read(Binder binder) {
    StoreOptions.Builder options = StoreOptions.builder();
    for (Setting<?> setting : StoreOptions.settings()) {
      String property = property(setting);
      binder
          .bind(property, String.class)
          .ifBound(value -> set(options, property, setting.name(), value));
    }
    refuseUnknown(binder);
    return options.build();
  }

  private static void refuseUnknown(Binder binder) {
    Set<String> known =
        StoreOptions.settings().stream()
            .map(setting -> uniform(setting.name()))
            .collect(Collectors.toSet());
    Map<String, String> given =
        binder.bind(PREFIX, Bindable.mapOf(String.class, String.class)).orElse(Map.of());
    given.forEach(
        (name, value) -> {
          if (!known.contains(uniform(name))) {
            // Says which names are similar.
            set(StoreOptions.builder(), PREFIX + "." + name, camelCase(name), value);
          }
        });
  }

  private static void set(
      StoreOptions.Builder options, String property, String setting, String value) {
    try {
      options.set(setting, value);
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          property, value, String.valueOf(e.getMessage()), e);
    }
  }

  /** What is left of a name whatever the source: the environment has no dashes and no cases. */
  private static String uniform(String name) {
    return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
  }

  private static String camelCase(String name) {
    return Pattern.compile("[-_.](\\w)")
        .matcher(name)
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }
}
