package io.sifr.infinispan;

import io.sifr.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The keys of the Sifr store: that of an entry is the number of its segment, two bytes, and the
 * key; that of its expiry is the time, eight bytes, and the key of the entry.
 */
final class EntryKeys {
  /** Segments that two bytes can tell apart. */
  static final int MOST_SEGMENTS = 1 << Short.SIZE;

  private static final byte[] NO_KEY = {};

  private EntryKeys() {}

  static byte[] ofEntry(int segment, byte[] key) {
    byte[] entryKey = new byte[Short.BYTES + key.length];
    entryKey[0] = (byte) (segment >>> Byte.SIZE);
    entryKey[1] = (byte) segment;
    System.arraycopy(key, 0, entryKey, Short.BYTES, key.length);
    return entryKey;
  }

  /** What begins a segment: a bound, and no key. */
  static byte[] beginOf(int segment) {
    return ofEntry(segment, NO_KEY);
  }

  /** The entries of the segments from one up to, and without, another. */
  static KeyRange ofSegments(int first, int end) {
    KeyRange from = KeyRange.atLeast(beginOf(first));
    return end == MOST_SEGMENTS ? from : from.and(KeyRange.lessThan(beginOf(end)));
  }

  static int segment(byte[] entryKey) {
    return ((entryKey[0] & 0xFF) << Byte.SIZE) | (entryKey[1] & 0xFF);
  }

  static byte[] key(byte[] entryKey) {
    return Arrays.copyOfRange(entryKey, Short.BYTES, entryKey.length);
  }

  static byte[] ofExpiry(long time, byte[] entryKey) {
    return ByteBuffer.allocate(Long.BYTES + entryKey.length).putLong(time).put(entryKey).array();
  }

  /** What expires at a time or before. */
  static KeyRange expiredAt(long time) {
    return KeyRange.lessThan(ofExpiry(time + 1, NO_KEY));
  }

  static byte[] entryKey(byte[] expiryKey) {
    return Arrays.copyOfRange(expiryKey, Long.BYTES, expiryKey.length);
  }
}
