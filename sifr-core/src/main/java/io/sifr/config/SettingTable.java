package io.sifr.config;

import io.sifr.config.Domain.Choices;
import io.sifr.config.Domain.Factors;
import io.sifr.config.Domain.Numbers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Collects settings, and finds them by name. Complete, and safe for any thread, once its owner's
 * class is initialized.
 */
final class SettingTable {
  private final String noSuch;
  private final List<Setting<?>> settings = new ArrayList<>();

  /**
   * @param noSuch the beginning of the message that it has no row: "there is no setting"
   */
  SettingTable(String noSuch) {
    this.noSuch = noSuch;
  }

  Setting<Boolean> flag(String name, boolean defaultValue, String meaning) {
    return add(name, new Choices<>("boolean", List.of(true, false)), defaultValue, meaning);
  }

  <E extends Enum<E>> Setting<E> choice(String name, E defaultValue, String meaning) {
    return add(
        name,
        new Choices<>("choice", List.of(defaultValue.getDeclaringClass().getEnumConstants())),
        defaultValue,
        meaning);
  }

  Setting<Long> count(
      String name, String unit, long defaultValue, long smallest, long largest, String meaning) {
    return add(name, new Numbers(unit, smallest, largest, false), defaultValue, meaning);
  }

  Setting<Long> bytes(String name, long defaultValue, long smallest, long largest, String meaning) {
    return count(name, Numbers.BYTES, defaultValue, smallest, largest, meaning);
  }

  /** A factor; 0: no limit. */
  Setting<Double> factor(
      String name, double defaultValue, double smallest, double largest, String meaning) {
    return add(name, new Factors(smallest, largest), defaultValue, meaning);
  }

  /** A size that the store chooses unless one is set. */
  Setting<Long> automaticBytes(String name, long smallest, long largest, String meaning) {
    return add(
        name, new Numbers(Numbers.BYTES, smallest, largest, true), Numbers.AUTOMATIC, meaning);
  }

  /** A number that the store chooses unless one is set. */
  Setting<Long> automaticCount(
      String name, String unit, long smallest, long largest, String meaning) {
    return add(name, new Numbers(unit, smallest, largest, true), Numbers.AUTOMATIC, meaning);
  }

  /** A setting of any domain. */
  <T> Setting<T> add(String name, Domain<T> domain, T defaultValue, String meaning) {
    Setting<T> setting = new Setting<>(settings.size(), name, domain, defaultValue, meaning);
    settings.add(setting);
    return setting;
  }

  /** All of them, in the order they were declared in. */
  List<Setting<?>> all() {
    return Collections.unmodifiableList(settings);
  }

  /** A new array of the default values. */
  Object[] defaults() {
    return settings.stream().map(Setting::initial).toArray();
  }

  Setting<?> named(String name) {
    for (Setting<?> setting : settings) {
      if (setting.name().equals(name)) {
        return setting;
      }
    }
    List<String> similar = Spelling.nearest(name, settings.stream().map(Setting::name).toList());
    throw new IllegalArgumentException(
        noSuch
            + " "
            + name
            + (similar.isEmpty()
                ? "; known: " + names()
                : "; did you mean " + String.join(" or ", similar) + "?"));
  }

  /** All names, for messages. */
  String names() {
    return settings.stream().map(Setting::name).collect(Collectors.joining(", "));
  }
}
