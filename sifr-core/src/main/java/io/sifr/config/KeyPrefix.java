package io.sifr.config;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Says how long the prefixes of keys are that belong together, see {@link
 * DatabaseOptions.Builder#filterPrefix}: so many bytes, or up to the first separator, which is part
 * of the prefix. Keys that are shorter, or have no separator, have none. Immutable.
 */
public final class KeyPrefix {
  /** The largest length of a prefix, in bytes. */
  public static final int MAX_BYTES = 1024;

  private static final String LENGTH = "length:";
  private static final String SEPARATOR = "separator:";

  /** 0 if there is a separator. */
  private final int bytes;

  private final byte separator;

  private KeyPrefix(int bytes, byte separator) {
    this.bytes = bytes;
    this.separator = separator;
  }

  /**
   * The first bytes of a key.
   *
   * @param bytes how many, 1 to {@value #MAX_BYTES}
   * @throws IllegalArgumentException when it is another number
   */
  public static KeyPrefix ofLength(int bytes) {
    checkArgument(
        bytes >= 1 && bytes <= MAX_BYTES,
        "the length of a prefix is %s; allowed: 1 to %s bytes",
        bytes,
        MAX_BYTES);
    return new KeyPrefix(bytes, (byte) 0);
  }

  /** What is before the first byte of that value, and that byte. */
  public static KeyPrefix upTo(byte separator) {
    return new KeyPrefix(0, separator);
  }

  /**
   * As {@link #toString} has written it.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static KeyPrefix parse(String text) {
    try {
      if (text.startsWith(LENGTH)) {
        return ofLength(Integer.parseInt(text.substring(LENGTH.length())));
      } else if (text.startsWith(SEPARATOR)) {
        String number = text.substring(SEPARATOR.length());
        int value = number.length() == 2 ? Integer.parseInt(number, 16) : -1;
        if (value >= 0) {
          return upTo((byte) value);
        }
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(notParsed(text), e);
    }
    throw new IllegalArgumentException(notParsed(text));
  }

  private static String notParsed(String text) {
    return "\""
        + text
        + "\" says nothing of prefixes; allowed: length:N, with 1 to "
        + MAX_BYTES
        + " bytes, and separator:XX, with a byte in hexadecimal digits";
  }

  /** How many bytes of a key are its prefix; 0 if they are up to a separator. */
  public int bytes() {
    return bytes;
  }

  /** The byte with which a prefix ends; of no meaning if it has a number of {@link #bytes}. */
  public byte separator() {
    return separator;
  }

  /** The length of the prefix of a key; -1 if it has none. */
  public int lengthIn(byte[] key, int offset, int length) {
    if (bytes > 0) {
      return length >= bytes ? bytes : -1;
    }
    int most = Math.min(length, MAX_BYTES);
    for (int i = 0; i < most; i++) {
      if (key[offset + i] == separator) {
        return i + 1;
      }
    }
    return -1;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyPrefix that && bytes == that.bytes && separator == that.separator;
  }

  @Override
  public int hashCode() {
    return 31 * bytes + separator;
  }

  /** "length:16" or "separator:2f". */
  @Override
  public String toString() {
    return bytes > 0
        ? LENGTH + bytes
        : String.format(Locale.ROOT, "%s%02x", SEPARATOR, separator & 0xFF);
  }
}
