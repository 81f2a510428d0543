package io.sifr.internal.filter;

import io.sifr.internal.util.Bytes;

/**
 * The 64 bits that stand for a user key in filters. They are part of the format: a filter on disk
 * was filled with them, so they never change without a new format version.
 *
 * <p>Sixteen bytes at a time are multiplied to 128 bits, whose halves are folded into each other:
 * two multiplications a step, every bit of the key reaches every bit of the hash, and nothing is
 * allocated. Not for keys chosen to collide: who does that gets filters that say "maybe".
 */
public final class KeyHash {
  // Odd, with about as many ones as zeros: digits of the square roots of 2, 3 and 5.
  private static final long A = 0x6A09E667F3BCC909L;
  private static final long B = 0xBB67AE8584CAA73BL;
  private static final long C = 0x3C6EF372FE94F82BL;

  private KeyHash() {}

  /** The hash of {@code length} bytes of an array. */
  public static long of(byte[] key, int offset, int length) {
    long hash = C;
    int end = offset + length;
    for (int at = offset; at < end - 16; at += 16) {
      hash = fold(Bytes.getLong(key, at) ^ A, Bytes.getLong(key, at + 8) ^ hash);
    }
    // The last sixteen bytes, although the loop may have had some of them: so no branch depends on
    // the length of a longer key. Of a shorter one the two words overlap, or are the same, and the
    // length, which goes in at the end, tells them apart.
    long first = 0;
    long second = 0;
    if (length >= 16) {
      first = Bytes.getLong(key, end - 16);
      second = Bytes.getLong(key, end - 8);
    } else if (length >= 8) {
      first = Bytes.getLong(key, offset);
      second = Bytes.getLong(key, end - 8);
    } else if (length >= 4) {
      first = Bytes.getInt(key, offset);
      second = Bytes.getInt(key, end - 4);
    } else if (length > 0) {
      first = ((key[offset] & 0xFFL) << 8) | (key[offset + length / 2] & 0xFFL);
      second = key[end - 1];
    }
    return fold(fold(first ^ A, second ^ hash) ^ B, length ^ C);
  }

  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ (a * b);
  }
}
