package io.sifr.infinispan;

import io.sifr.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The keys of the Sifr store: that of an entry is the number of its segment, two bytes, and the
 * key; that of its expiry is the time, eight bytes, and the key of the entry.
 */
final class EntryKeys {
  /** Segments that two bytes can distinguish. */
  static final int MOST_SEGMENTS = 1 << Short.SIZE;

  /** The offset of the segment's number in the key of an entry. */
  static final int SEGMENT_IN_ENTRY = 0;

  /** Its offset in the key of an expiry. */
  static final int SEGMENT_IN_EXPIRY = Long.BYTES;

  private static final byte[] NO_KEY = {};

  private EntryKeys() {}

  static byte[] ofEntry(int segment, byte[] key) {
    return ByteBuffer.allocate(Short.BYTES + key.length).putShort((short) segment).put(key).array();
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
    return segment(entryKey, SEGMENT_IN_ENTRY);
  }

  /** The segment in a key of either kind. */
  static int segment(byte[] bytes, int at) {
    return Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(at));
  }

  static byte[] key(byte[] entryKey) {
    return key(entryKey, SEGMENT_IN_ENTRY);
  }

  /** What follows the segment in a key of either kind. */
  static byte[] key(byte[] bytes, int at) {
    return Arrays.copyOfRange(bytes, at + Short.BYTES, bytes.length);
  }

  /** A key of either kind with another segment. */
  static byte[] moved(byte[] bytes, int at, int segment) {
    return ByteBuffer.wrap(bytes.clone()).putShort(at, (short) segment).array();
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
