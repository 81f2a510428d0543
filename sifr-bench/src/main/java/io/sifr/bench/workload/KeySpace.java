package io.sifr.bench.workload;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Keys of numbered entries, in the order of their numbers, so that an entry missing in a scan is
 * detected. They are spread over the whole key space, unevenly, as hashed keys would be; between
 * any two of them is one key that is never written. Immutable; safe for any thread.
 */
public final class KeySpace {
  /** Not a key of any entry. */
  public static final int FOREIGN = -1;

  private static final byte[] PREFIX = {'u', 's', 'e', 'r'};
  private static final int DIGITS = 19;
  private static final int TEXT_BYTES = PREFIX.length + DIGITS;

  private final int keyBytes;
  private final int entries;
  private final long seed;

  /** Distance between adjacent keys, including those that are never written. */
  private final long gap;

  /**
   * Keys of that many entries.
   *
   * @param keyBytes bytes of each key, at least 8; from 23 on they are readable
   */
  public KeySpace(int keyBytes, int entries, long seed) {
    this.keyBytes = keyBytes;
    this.entries = entries;
    this.seed = seed;
    this.gap = Long.MAX_VALUE / (2L * entries);
  }

  /** Number of entries. */
  public int entries() {
    return entries;
  }

  /** The key of an entry, 0 to {@code entries - 1}. */
  public byte[] key(int entry) {
    return keyAt(2L * entry);
  }

  /** A key that is never written, between that of an entry and that of the next. */
  public byte[] missingKey(int entry) {
    return keyAt(2L * entry + 1);
  }

  /** The entry with exactly that key, or {@link #FOREIGN}. */
  public int entryOf(byte[] key) {
    if (key.length != keyBytes) {
      return FOREIGN;
    }
    long place = number(key) / gap;
    if (place < 0 || place >= 2L * entries || place % 2 != 0) {
      return FOREIGN;
    }
    int entry = (int) (place / 2);
    return Arrays.equals(key, key(entry)) ? entry : FOREIGN;
  }

  /** The part of the key space before a key, 0 to 1, which may be one of no entry, or be cut. */
  public double part(byte[] key) {
    byte[] whole = Arrays.copyOf(key, keyBytes);
    if (keyBytes < TEXT_BYTES) {
      return ByteBuffer.wrap(whole).getLong() / (double) Long.MAX_VALUE;
    }
    double number = 0;
    for (int i = PREFIX.length; i < keyBytes; i++) {
      number = number * 10 + Math.max(0, whole[i] - '0');
    }
    return number / Long.MAX_VALUE;
  }

  private byte[] keyAt(long place) {
    long number = place * gap + Long.remainderUnsigned(Mixer.mix(seed, place), gap);
    byte[] key = new byte[keyBytes];
    if (keyBytes < TEXT_BYTES) {
      ByteBuffer.wrap(key).putLong(number);
      return key;
    }
    System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
    long left = number;
    for (int i = keyBytes - 1; i >= PREFIX.length; i--) {
      key[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    return key;
  }

  /** The number in a key, or one of no entry. */
  private long number(byte[] key) {
    if (keyBytes < TEXT_BYTES) {
      return ByteBuffer.wrap(key).getLong();
    }
    long number = 0;
    for (int i = PREFIX.length; i < keyBytes; i++) {
      int digit = key[i] - '0';
      if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
        return FOREIGN;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
