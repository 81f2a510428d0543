package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/** A copy of a key that stays valid when its iterator moves. The underlying array is reused. */
final class KeyCopy {
  /** Keys up to this length are copied as longs. */
  private static final int SHORT_KEY = 4 * Long.BYTES;

  private byte[] array = new byte[2 * SHORT_KEY];
  private int length;

  /** Copies the iterator's current key. */
  void set(EntryIterator iterator) {
    set(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }

  /** Copies a key. */
  void set(byte[] from, int offset, int newLength) {
    length = newLength;
    if (newLength <= SHORT_KEY && from.length - offset >= SHORT_KEY) {
      for (int i = 0; i < SHORT_KEY; i += Long.BYTES) {
        Bytes.putLong(array, i, Bytes.getLong(from, offset + i));
      }
      return;
    }
    if (array.length < newLength) {
      array = new byte[Math.max(newLength, 2 * array.length)];
    }
    System.arraycopy(from, offset, array, 0, newLength);
  }

  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  /** Whether the iterator's current entry has this key. */
  boolean isKeyOf(EntryIterator iterator) {
    return equalTo(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }

  boolean equalTo(byte[] other, int offset, int otherLength) {
    if (length != otherLength) {
      return false;
    }
    // Successive keys usually differ at their ends.
    int end = length - Long.BYTES;
    if (end >= 0 && Bytes.getLong(array, end) != Bytes.getLong(other, offset + end)) {
      return false;
    }
    return Arrays.equals(array, 0, length, other, offset, offset + otherLength);
  }

  /** Number of leading bytes that this key has in common with the iterator's current key. */
  int commonPrefix(EntryIterator iterator) {
    return Bytes.commonPrefix(
        array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }

  /**
   * Whether another key, which equals this one in the bytes before an index, also equals it in the
   * bytes before a larger index.
   */
  boolean beginsLike(byte[] other, int offset, int otherLength, int from, int to) {
    if (otherLength < to) {
      return false;
    }
    if (other.length - offset < Long.BYTES) {
      return Arrays.equals(array, from, to, other, offset + from, offset + to);
    }
    // Longs may begin before the first index, where the keys are equal.
    for (int end = to; end > from; end -= Long.BYTES) {
      int start = Math.max(0, end - Long.BYTES);
      long difference = Bytes.getLong(array, start) ^ Bytes.getLong(other, offset + start);
      if (difference >>> (Byte.SIZE * (start + Long.BYTES - end)) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Compares this key with the iterator's current key: negative when it is smaller. */
  int compareTo(EntryIterator iterator) {
    return Bytes.compare(
        array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }
}
