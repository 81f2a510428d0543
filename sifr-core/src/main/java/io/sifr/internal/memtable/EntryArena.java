package io.sifr.internal.memtable;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * The bytes of a memtable's entries, appended and never moved or changed. An entry is
 *
 * <pre>
 *   trailer 8 | key length 4 | value length 4 | key | value | up to 7 bytes of padding
 * </pre>
 *
 * in one of several arrays, and is named by an {@code int}: number of the array in the upper 15
 * bits, offset in units of eight bytes in the lower 17. Several arrays, because a large memtable
 * that holds three entries must not cost its whole capacity (the first arrays are smaller, too),
 * and because the garbage collector likes arrays of a megabyte better than one of hundreds.
 *
 * <p>One writer at a time. A reader may look at an entry once its reference was published to it
 * (see {@link NodeArena}).
 */
final class EntryArena {
  /** Names no entry: the last array is never used. */
  static final int NONE = -1;

  /** Bytes of an entry before its key. */
  static final int HEADER_BYTES = 16;

  /** Array number that is never reached. */
  static final int MAX_ARRAYS = (1 << 15) - 1;

  /**
   * A megabyte less the array's own header, so that a G1 region of one megabyte holds one instead
   * of wasting the rest of a second.
   */
  static final int MAX_ARRAY_BYTES = (1 << 20) - 64;

  private static final int MIN_ARRAY_BYTES = 4096;

  /** The first array; each is twice as large as the one before, up to the size of all others. */
  private static final int FIRST_ARRAY_BYTES = 16 << 10;

  private static final int UNIT_SHIFT = 3;
  private static final int OFFSET_BITS = 17;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 12;

  private final int arrayBytes;
  // volatile: a reader that gets hold of a newer table must find it filled
  private volatile byte[][] arrays = new byte[8][];
  private int arrayCount;
  private int nextBytes;
  private byte[] current = Bytes.EMPTY;
  private int currentNumber;
  private int currentFill;

  EntryArena(long capacityBytes) {
    arrayBytes = (int) Math.max(MIN_ARRAY_BYTES, Math.min(MAX_ARRAY_BYTES, capacityBytes));
    nextBytes = Math.min(FIRST_ARRAY_BYTES, arrayBytes);
  }

  /** Bytes an entry takes here. */
  static long size(int keyLength, int valueLength) {
    return ((long) HEADER_BYTES + keyLength + valueLength + 7) & ~7L;
  }

  /**
   * Appends an entry and returns its reference. An {@link OutOfMemoryError} leaves everything as it
   * was.
   */
  int append(
      long trailer,
      byte[] keyArray,
      int keyOffset,
      int keyLength,
      byte[] valueArray,
      int valueOffset,
      int valueLength) {
    int size = Math.toIntExact(size(keyLength, valueLength));
    byte[] target;
    int number;
    int at;
    if (size > arrayBytes >>> 3) {
      // In an array of its own, so that at most an eighth of a common array is left unused when the
      // next one begins.
      target = new byte[size];
      number = register(target);
      at = 0;
    } else {
      if (current.length - currentFill < size) {
        byte[] fresh = new byte[Math.max(nextBytes, size)];
        currentNumber = register(fresh);
        nextBytes = Math.min(2 * nextBytes, arrayBytes);
        current = fresh;
        currentFill = 0;
      }
      target = current;
      number = currentNumber;
      at = currentFill;
      currentFill += size;
    }
    Bytes.putLong(target, at, trailer);
    Bytes.putInt(target, at + KEY_LENGTH, keyLength);
    Bytes.putInt(target, at + VALUE_LENGTH, valueLength);
    System.arraycopy(keyArray, keyOffset, target, at + HEADER_BYTES, keyLength);
    System.arraycopy(valueArray, valueOffset, target, at + HEADER_BYTES + keyLength, valueLength);
    return number << OFFSET_BITS | at >>> UNIT_SHIFT;
  }

  private int register(byte[] array) {
    // Far away: but for the first few an array holds 7/8 of a megabyte, or an eighth of one that
    // nothing else is in.
    assert arrayCount < MAX_ARRAYS : "the capacity allows no more than " + MAX_ARRAYS + " arrays";
    byte[][] table = arrays;
    if (arrayCount == table.length) {
      table = Arrays.copyOf(table, 2 * table.length);
    }
    table[arrayCount] = array;
    arrays = table;
    return arrayCount++;
  }

  /** Array that holds the entry. */
  byte[] array(int entry) {
    return arrays[entry >>> OFFSET_BITS];
  }

  /** Where in its array the entry begins. */
  static int offset(int entry) {
    return (entry & OFFSET_MASK) << UNIT_SHIFT;
  }

  /** Where in its array the entry's key begins. */
  static int keyOffset(int entry) {
    return offset(entry) + HEADER_BYTES;
  }

  /** Trailer of the entry at {@code offset}. */
  static long trailer(byte[] array, int offset) {
    return Bytes.getLong(array, offset);
  }

  /** Key bytes of the entry at {@code offset}. */
  static int keyLength(byte[] array, int offset) {
    return Bytes.getInt(array, offset + KEY_LENGTH);
  }

  /** Value bytes of the entry at {@code offset}. */
  static int valueLength(byte[] array, int offset) {
    return Bytes.getInt(array, offset + VALUE_LENGTH);
  }

  /**
   * Where the entry stands to (key, trailer) in internal order: negative when before, 0 when equal,
   * positive when behind.
   *
   * @param shared number of leading bytes that both keys are known to have in common
   */
  int compare(int entry, byte[] key, int keyOffset, int keyLength, long trailer, int shared) {
    byte[] array = array(entry);
    int offset = offset(entry);
    int length = keyLength(array, offset);
    int order =
        Arrays.compareUnsigned(
            array,
            offset + HEADER_BYTES + shared,
            offset + HEADER_BYTES + length,
            key,
            keyOffset + shared,
            keyOffset + keyLength);
    return order != 0 ? order : Long.compare(trailer, trailer(array, offset));
  }

  /** Whether the entry has that user key. */
  boolean hasKey(int entry, byte[] key, int keyOffset, int keyLength) {
    byte[] array = array(entry);
    int offset = offset(entry);
    int from = offset + HEADER_BYTES;
    return keyLength(array, offset) == keyLength
        && Arrays.equals(array, from, from + keyLength, key, keyOffset, keyOffset + keyLength);
  }

  /** Eight bytes of the entry's key behind {@code skip}, see {@link Bytes#prefix}. */
  long prefix(int entry, int skip) {
    byte[] array = array(entry);
    int offset = offset(entry);
    return Bytes.prefix(array, offset + HEADER_BYTES + skip, keyLength(array, offset) - skip);
  }

  /** Number of leading bytes that the keys of two entries have in common. */
  int commonPrefix(int a, int b) {
    byte[] aArray = array(a);
    byte[] bArray = array(b);
    return Bytes.commonPrefix(
        aArray,
        keyOffset(a),
        keyLength(aArray, offset(a)),
        bArray,
        keyOffset(b),
        keyLength(bArray, offset(b)));
  }
}
