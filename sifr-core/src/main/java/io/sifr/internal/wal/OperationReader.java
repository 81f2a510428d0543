package io.sifr.internal.wal;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the operations of a record, checking every length: what comes from a log is not
 * trusted even when its checksum is right. Reused; not thread-safe.
 */
public final class OperationReader {
  private static final long MAX_LENGTH_AND_KIND =
      ((EntryLimits.MAX_VALUE_BYTES + 1L) << EntryKind.BITS) - 1;

  private byte[] bytes = {};
  private int at;
  private int end;
  private int databaseId;
  private int kind;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;

  public OperationReader() {}

  /** Begins before the first operation in those bytes. */
  public void reset(byte[] array, int offset, int length) {
    bytes = array;
    at = offset;
    end = offset + length;
  }

  /**
   * Moves to the next operation. Returns whether there is one.
   *
   * @throws IllegalArgumentException when the bytes are not operations
   */
  public boolean next() {
    if (at == end) {
      return false;
    }
    databaseId = readLength("database id");
    keyLength = readLength("key length");
    keyOffset = skip(keyLength, EntryLimits.MAX_KEY_BYTES, "key");
    long lengthAndKind = readNumber("value length", MAX_LENGTH_AND_KIND);
    kind = (int) lengthAndKind & ((1 << EntryKind.BITS) - 1);
    valueLength = (int) (lengthAndKind >>> EntryKind.BITS);
    valueOffset = skip(valueLength, EntryLimits.MAX_VALUE_BYTES, "value");
    if (isRangeDelete()) {
      checkRange();
    }
    return true;
  }

  private void checkRange() {
    checkArgument(
        valueLength <= EntryLimits.MAX_KEY_BYTES, "the end of a range has %s bytes", valueLength);
    checkArgument(
        valueLength <= 0
            || Bytes.compare(bytes, keyOffset, keyLength, bytes, valueOffset, valueLength) < 0,
        "the range of a range delete is empty");
  }

  private int skip(int length, int allowed, String what) {
    if (length > allowed || length > end - at) {
      throw new IllegalArgumentException(
          what + " has " + length + " bytes, of " + (end - at) + " that are left");
    }
    int offset = at;
    at += length;
    return offset;
  }

  private int readLength(String what) {
    return (int) readNumber(what, Integer.MAX_VALUE);
  }

  private long readNumber(String what, long allowed) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
      checkArgument(at != end, "the operations end within a %s", what);
      byte next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0 && value <= allowed) {
        return value;
      }
      if (value > allowed) {
        break;
      }
    }
    throw new IllegalArgumentException("a " + what + " is larger than " + allowed);
  }

  public int databaseId() {
    return databaseId;
  }

  /** What the operation does: the code of an {@link EntryKind}, or a range delete. */
  public int kind() {
    return kind;
  }

  public boolean isRangeDelete() {
    return kind == EntryKind.CODE_OF_RANGE_DELETE;
  }

  /** A copy of the first key of a range delete. */
  public byte[] rangeFrom() {
    return Arrays.copyOfRange(bytes, keyOffset, keyOffset + keyLength);
  }

  /** A copy of the key after the last one of a range delete; null when it has no end. */
  public byte @Nullable [] rangeTo() {
    return valueLength == 0
        ? null
        : Arrays.copyOfRange(bytes, valueOffset, valueOffset + valueLength);
  }

  /** Array that key and value lie in. */
  public byte[] array() {
    return bytes;
  }

  /** Where the key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Bytes of the key. */
  public int keyLength() {
    return keyLength;
  }

  /** Where the value begins. */
  public int valueOffset() {
    return valueOffset;
  }

  /** Bytes of the value. */
  public int valueLength() {
    return valueLength;
  }
}
