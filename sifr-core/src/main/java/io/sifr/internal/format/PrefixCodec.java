package io.sifr.internal.format;

import io.sifr.config.KeyPrefix;

/**
 * A {@link KeyPrefix} as one number: twice its bytes; or twice its separator, from 0 to 255, and 1.
 */
public final class PrefixCodec {
  private static final int MAX_SEPARATOR = 255;

  private PrefixCodec() {}

  /** The number of a prefix. */
  public static long encode(KeyPrefix prefix) {
    return prefix.bytes() > 0 ? 2L * prefix.bytes() : 2L * (prefix.separator() & 0xFF) + 1;
  }

  /**
   * The prefix of a number.
   *
   * @throws IllegalArgumentException when it is that of none
   */
  public static KeyPrefix decode(long number) {
    long half = number / 2;
    boolean isSeparator = number % 2 == 1;
    if (number < 0 || half > (isSeparator ? MAX_SEPARATOR : KeyPrefix.MAX_BYTES)) {
      throw new IllegalArgumentException("there is no prefix with number " + number);
    }
    return isSeparator ? KeyPrefix.upTo((byte) half) : KeyPrefix.ofLength((int) half);
  }
}
