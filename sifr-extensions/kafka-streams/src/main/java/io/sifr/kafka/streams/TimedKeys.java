package io.sifr.kafka.streams;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Keys with a suffix of constant length, in which times are, as the changelog of Kafka Streams has
 * them. A key may be the beginning of another, so that the bytes of both with their suffixes may
 * lie in any order: who looks for keys of a range has to look at each key that is found.
 */
final class TimedKeys {
  private TimedKeys() {}

  /** A key with its suffix. */
  static byte[] of(Bytes key, long first, long second) {
    return ByteBuffer.allocate(key.get().length + 2 * Long.BYTES)
        .put(key.get())
        .putLong(first)
        .putLong(second)
        .array();
  }

  /** A key with its suffix. */
  static byte[] of(Bytes key, long first, int second) {
    return ByteBuffer.allocate(key.get().length + Long.BYTES + Integer.BYTES)
        .put(key.get())
        .putLong(first)
        .putInt(second)
        .array();
  }

  /** The key without its suffix. */
  static Bytes keyOf(byte[] timed, int suffixLength) {
    return Bytes.wrap(Arrays.copyOf(timed, timed.length - suffixLength));
  }

  /** Whether a key with a suffix is that of a key. */
  static boolean isOf(Bytes key, byte[] timed, int suffixLength) {
    int length = timed.length - suffixLength;
    return length == key.get().length && Arrays.equals(timed, 0, length, key.get(), 0, length);
  }

  /**
   * A range that has all keys between two, with any suffix.
   *
   * @param largest no suffix is larger
   */
  static KeySpan between(@Nullable Bytes from, @Nullable Bytes to, byte[] largest) {
    return KeySpan.between(
        from == null ? null : from.get(), to == null ? null : upperBound(to.get(), largest));
  }

  /**
   * The largest that a key up to another can be with its suffix. That is not always the other with
   * the largest suffix: if the other goes on with smaller bytes than a suffix begins with, its own
   * beginning, with the largest suffix, is larger.
   */
  private static byte[] upperBound(byte[] to, byte[] largest) {
    byte[] bound = concatenation(to, to.length, largest);
    for (int length = 0; length < to.length; length++) {
      byte[] candidate = concatenation(to, length, largest);
      if (Arrays.compareUnsigned(candidate, bound) > 0) {
        bound = candidate;
      }
    }
    return bound;
  }

  private static byte[] concatenation(byte[] key, int length, byte[] suffix) {
    return ByteBuffer.allocate(length + suffix.length).put(key, 0, length).put(suffix).array();
  }
}
