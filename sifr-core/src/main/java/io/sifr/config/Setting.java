package io.sifr.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of settings ({@link StoreOptions#settings}): what programs need to offer a
 * setting to their users and to document it. Immutable; safe for any thread.
 *
 * @param <T> type of its values
 */
public final class Setting<T> {
  private final int index;
  private final String name;
  private final Domain<T> domain;
  private final T defaultValue;
  private final String meaning;

  /** Written while the table is made. */
  private boolean shared;

  Setting(int index, String name, Domain<T> domain, T defaultValue, String meaning) {
    this.index = index;
    this.name = name;
    this.domain = domain;
    this.defaultValue = defaultValue;
    this.meaning = meaning;
  }

  /** Its name, also of the method of {@link StoreOptions.Builder} that sets it. */
  public String name() {
    return name;
  }

  /** "boolean", "number", "size" (of bytes), "time", "choice", "directory", or "policy". */
  public String type() {
    return domain.type();
  }

  /** What a number counts, for instance "bytes" or "threads"; empty when it is no number. */
  public String unit() {
    return domain.unit();
  }

  /** Its default value, in the form that {@link StoreOptions.Builder#set} accepts. */
  public String defaultValue() {
    return domain.format(defaultValue);
  }

  /** The allowed values, human-readable: "4KiB to 1GiB". */
  public String allowed() {
    return domain.allowed();
  }

  /** Its values, or the kinds of a policy; empty for a number. */
  public List<String> choices() {
    return domain.choices();
  }

  /** Its meaning, in one sentence. */
  public String meaning() {
    return meaning;
  }

  /**
   * Whether it is a setting of what stores can share: it is then given to {@code
   * io.sifr.Resources}, and to none of these stores.
   */
  public boolean isShared() {
    return shared;
  }

  void markShared() {
    shared = true;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Its index in an array of the values of all settings. */
  int index() {
    return index;
  }

  T initial() {
    return defaultValue;
  }

  @SuppressWarnings("unchecked") // the builder puts nothing else there
  T of(Object[] values) {
    return (T) values[index];
  }

  String textOf(Object[] values) {
    return domain.format(of(values));
  }

  /** The value, if it is allowed. */
  T checked(@Nullable T value) {
    if (value == null || !domain.contains(value)) {
      throw refusal(String.valueOf(value));
    }
    return value;
  }

  T parse(String text) {
    T value;
    try {
      value = domain.parse(text.strip());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + " is " + text + "; " + e.getMessage(), e);
    }
    if (value == null) {
      throw refusal(text);
    }
    return value;
  }

  private IllegalArgumentException refusal(String value) {
    return new IllegalArgumentException(name + " is " + value + "; allowed: " + allowed());
  }
}
