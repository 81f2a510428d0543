package io.sifr.internal.sst.format;

import io.sifr.internal.util.Bytes;

/**
 * Variable-length integers of up to 56 bits in the encoding of {@link
 * io.sifr.internal.util.VarInts}, coded eight bytes at a time without loops: the widths of value
 * lengths and sequence deltas are practically random, and a loop per integer would cause a
 * misprediction at nearly every entry.
 */
public final class Varint56 {
  private static final long STOPS = 0x8080808080808080L;

  /** Size of the longest integer. */
  static final int MAX_BYTES = 8;

  private Varint56() {}

  /** One bit for each byte of the word that ends an integer. */
  static long stops(long word) {
    return ~word & STOPS;
  }

  /** The stops without the lowest. */
  static long following(long stops) {
    return stops & (stops - 1);
  }

  /** The first bit after the integer that ends at the lowest stop; 65 when there is no stop. */
  static int end(long stops) {
    return Long.numberOfTrailingZeros(stops) + 1;
  }

  /**
   * The integer in the bits from {@code from} to {@code to}; an arbitrary number if none ends
   * there.
   */
  static long between(long word, int from, int to) {
    long groups = (word >>> from) & (-1L >>> (from - to)) & ~STOPS;
    groups = (groups & 0x7F007F007F007F00L) >>> 1 | (groups & 0x007F007F007F007FL);
    groups = (groups & 0x3FFF00003FFF0000L) >>> 2 | (groups & 0x00003FFF00003FFFL);
    return (groups & 0x0FFFFFFF00000000L) >>> 4 | (groups & 0x000000000FFFFFFFL);
  }

  /**
   * Writes an integer of at most 56 bits and returns the offset after it. Always stores eight
   * bytes, so what follows must be written afterwards.
   */
  public static int put(byte[] array, int at, long value) {
    int last = ((63 - Long.numberOfLeadingZeros(value | 1)) * 37) >>> 8; // division by 7, below 64
    long groups = (value & 0x00FFFFFFF0000000L) << 4 | (value & 0x000000000FFFFFFFL);
    groups = (groups & 0x0FFFC0000FFFC000L) << 2 | (groups & 0x00003FFF00003FFFL);
    groups = (groups & 0x3F803F803F803F80L) << 1 | (groups & 0x007F007F007F007FL);
    Bytes.putLong(array, at, Long.reverseBytes(groups | (STOPS & ((1L << (8 * last)) - 1))));
    return at + last + 1;
  }
}
