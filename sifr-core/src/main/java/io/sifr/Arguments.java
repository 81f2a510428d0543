package io.sifr;

import org.jspecify.annotations.Nullable;

/**
 * Checks of arguments that come from outside, whose callers need not care for nullness annotations.
 */
final class Arguments {
  private Arguments() {}

  static <T> T notNull(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is null");
    }
    return value;
  }
}
