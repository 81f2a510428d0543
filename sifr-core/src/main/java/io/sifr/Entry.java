package io.sifr;

import io.sifr.internal.util.KeyText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key and its value, as a read found them. Nothing else refers to the arrays, and they are not
 * copied again: whoever changes them changes the entry, but not the database.
 */
public final class Entry {
  private final byte[] key;
  private final byte[] value;

  Entry(byte[] key, byte[] value) {
    this.key = key;
    this.value = value;
  }

  /** The key. */
  public byte[] key() {
    return key;
  }

  /** The value. */
  public byte[] value() {
    return value;
  }

  /** Whether the other is an entry with the same bytes. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Entry entry
        && Arrays.equals(key, entry.key)
        && Arrays.equals(value, entry.value);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return KeyText.of(key) + " with a value of " + value.length + " bytes";
  }
}
