package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * A key kept beyond the next move of the iterator that showed it. The array behind it is used again
 * and again.
 */
final class KeyCopy {
  /** Keys up to this length are copied as longs, whatever their length. */
  private static final int SHORT_KEY = 4 * Long.BYTES;

  private byte[] array = new byte[2 * SHORT_KEY];
  private int length;

  /** Copies the key that the iterator stands on. */
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

  /** Whether the iterator stands on an entry of this key. */
  boolean isKeyOf(EntryIterator iterator) {
    return equalTo(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }

  /** Whether this is that key. */
  boolean equalTo(byte[] other, int offset, int otherLength) {
    if (length != otherLength) {
      return false;
    }
    // Keys that follow each other differ at their ends as a rule.
    int end = length - Long.BYTES;
    if (end >= 0 && Bytes.getLong(array, end) != Bytes.getLong(other, offset + end)) {
      return false;
    }
    return Arrays.equals(array, 0, length, other, offset, offset + otherLength);
  }

  /** Number of leading bytes that this key has in common with that which the iterator stands on. */
  int commonPrefix(EntryIterator iterator) {
    return Bytes.commonPrefix(
        array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }

  /**
   * Whether another key, which has the bytes of this one before an index, has those before a larger
   * one, too.
   */
  boolean beginsLike(byte[] other, int offset, int otherLength, int from, int to) {
    if (otherLength < to) {
      return false;
    }
    if (other.length - offset < Long.BYTES) {
      return Arrays.equals(array, from, to, other, offset + from, offset + to);
    }
    // Longs may begin before the first index, where the keys are alike.
    for (int end = to; end > from; end -= Long.BYTES) {
      int start = Math.max(0, end - Long.BYTES);
      long difference = Bytes.getLong(array, start) ^ Bytes.getLong(other, offset + start);
      if (difference >>> (Byte.SIZE * (start + Long.BYTES - end)) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Where this key stands to that which the iterator stands on: negative when before. */
  int compareTo(EntryIterator iterator) {
    return Bytes.compare(
        array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }
}
