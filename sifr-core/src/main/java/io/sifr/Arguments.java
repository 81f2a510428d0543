package io.sifr;

import org.jspecify.annotations.Nullable;

/** Checks arguments of public methods, whose callers may ignore nullness annotations. */
final class Arguments {
  private Arguments() {}

  static <T> T notNull(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is null");
    }
    return value;
  }
}
