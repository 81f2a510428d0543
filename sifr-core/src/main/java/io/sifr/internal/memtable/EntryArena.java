package io.sifr.internal.memtable;

import io.sifr.internal.memtable.EntryTree.NodeArena;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * The bytes of a memtable's entries, which are appended and never moved or changed. An entry is
 *
 * <pre>
 *   trailer 8 | key length 4 | value length 4 | key | value | up to 7 bytes of padding
 * </pre>
 *
 * in one of several arrays. A reference to an entry is an {@code int}: the array's number in the
 * upper 15 bits, the offset in units of eight bytes in the lower 17. There are several arrays
 * because a large memtable with three entries must not take its whole capacity (the first arrays
 * are smaller, too), and because the garbage collector handles arrays of one megabyte better than
 * one of hundreds.
 *
 * <p>One writer at a time. A reader may read an entry once its reference was published (see {@link
 * NodeArena}).
 */
final class EntryArena {
  /** Reference to no entry: the last array is never used. */
  static final int NONE = -1;

  /** Bytes of an entry before its key. */
  static final int HEADER_BYTES = 16;

  /** Limit of the array number, never reached. */
  static final int MAX_ARRAYS = (1 << 15) - 1;

  /**
   * One megabyte less the array's header, so that an array fits into one G1 region of one megabyte
   * instead of taking most of two.
   */
  static final int MAX_ARRAY_BYTES = (1 << 20) - 64;

  private static final int MIN_ARRAY_BYTES = 4096;

  /** Size of the first array; each is twice as large as the one before, up to the common size. */
  private static final int FIRST_ARRAY_BYTES = 1 << 10;

  private static final int UNIT_SHIFT = 3;
  private static final int OFFSET_BITS = 17;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 12;

  private final int arrayBytes;
  // Volatile: a reader that loads a newer table must find it filled.
  private volatile byte[][] arrays = new byte[8][];
  private int arrayCount;
  private long allocatedBytes;
  private int nextBytes;
  private byte[] current = Bytes.EMPTY;
  private int currentNumber;
  private int currentFill;

  EntryArena(long capacityBytes) {
    arrayBytes = (int) Math.max(MIN_ARRAY_BYTES, Math.min(MAX_ARRAY_BYTES, capacityBytes));
    nextBytes = Math.min(FIRST_ARRAY_BYTES, arrayBytes);
  }

  /** Number of bytes an entry takes in the arena. */
  static long size(int keyLength, int valueLength) {
    return ((long) HEADER_BYTES + keyLength + valueLength + 7) & ~7L;
  }

  /**
   * Appends an entry and returns its reference. An {@link OutOfMemoryError} leaves the arena
   * unchanged.
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
      // A large entry gets an array of its own, so that at most an eighth of a common array is left
      // unused when the next one begins.
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
    // Far from the limit: all arrays but the first few hold at least 7/8 of a megabyte, or one
    // entry of an eighth of a megabyte or more.
    assert arrayCount < MAX_ARRAYS : "the capacity allows no more than " + MAX_ARRAYS + " arrays";
    byte[][] table = arrays;
    if (arrayCount == table.length) {
      table = Arrays.copyOf(table, 2 * table.length);
    }
    table[arrayCount] = array;
    arrays = table;
    allocatedBytes += array.length;
    return arrayCount++;
  }

  /** Bytes of all arrays; for the writer. */
  long allocatedBytes() {
    return allocatedBytes;
  }

  /** Array that holds the entry. */
  byte[] array(int entry) {
    return arrays[entry >>> OFFSET_BITS];
  }

  /** Offset of the entry in its array. */
  static int offset(int entry) {
    return (entry & OFFSET_MASK) << UNIT_SHIFT;
  }

  /** Offset of the entry's key in its array. */
  static int keyOffset(int entry) {
    return offset(entry) + HEADER_BYTES;
  }

  static long trailer(byte[] array, int offset) {
    return Bytes.getLong(array, offset);
  }

  static int keyLength(byte[] array, int offset) {
    return Bytes.getInt(array, offset + KEY_LENGTH);
  }

  static int valueLength(byte[] array, int offset) {
    return Bytes.getInt(array, offset + VALUE_LENGTH);
  }

  /** Both lengths of an entry, to be read at once. */
  static long lengths(byte[] array, int offset) {
    return Bytes.getLong(array, offset + KEY_LENGTH);
  }

  static int keyLength(long lengths) {
    return (int) (lengths >>> Integer.SIZE);
  }

  static int valueLength(long lengths) {
    return (int) lengths;
  }

  /**
   * Compares the entry with (key, trailer) in internal order: negative when the entry comes before,
   * 0 when equal, positive when it comes after.
   *
   * @param shared number of leading bytes that both keys are known to share
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

  /** Eight bytes of the entry's key after the first {@code skip}, see {@link Bytes#prefix}. */
  long prefix(int entry, int skip) {
    byte[] array = array(entry);
    int offset = offset(entry);
    return Bytes.prefix(array, offset + HEADER_BYTES + skip, keyLength(array, offset) - skip);
  }

  /** Number of leading bytes that the keys of two entries share. */
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
