package io.sifr.internal.wal;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a record of the log, one after the other:
 *
 * <pre>
 * varint database id | varint key length | key | varint value length · 16 + kind | value
 * </pre>
 *
 * A range delete has its first key as the key, and the key after its last one as the value; if it
 * has no end, the value is empty.
 */
public final class Operations {
  private Operations() {}

  /** Writes operations. Not thread-safe. */
  public static final class Writer {
    /** Most bytes of a batch: it has to fit into one log segment and one write buffer. */
    private static final int MAX_BYTES = 1 << 30;

    private static final int FIRST_CAPACITY = 512;
    private static final int KEPT_CAPACITY = 1 << 20;

    private byte[] bytes = new byte[FIRST_CAPACITY];
    private int length;
    private int count;
    private long rawBytes;

    /** A writer without operations. */
    public Writer() {}

    /**
     * Makes room for an operation; called before it is added.
     *
     * @throws IllegalArgumentException when the operations would become too large
     */
    public void makeRoom(int keyLength, int valueLength) {
      long needed = length + 3L * VarInts.MAX_INT_BYTES + keyLength + valueLength;
      if (needed > MAX_BYTES) {
        throw new IllegalArgumentException(
            "the batch would take " + needed + " bytes; allowed: up to " + MAX_BYTES);
      }
      if (needed > bytes.length) {
        long doubled = Math.min(MAX_BYTES, 2L * bytes.length);
        bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
      }
    }

    /** Adds an operation. */
    public void add(int databaseId, EntryKind kind, byte[] key, byte[] value) {
      begin(databaseId, key.length, value.length);
      append(key);
      appendLength(value.length, kind.code());
      append(value);
    }

    /** Adds an operation with the readable bytes of two buffers. */
    public void add(int databaseId, EntryKind kind, ByteBuf key, ByteBuf value) {
      int keyLength = key.readableBytes();
      int valueLength = value.readableBytes();
      begin(databaseId, keyLength, valueLength);
      append(key, keyLength);
      appendLength(valueLength, kind.code());
      append(value, valueLength);
    }

    /**
     * Adds a range delete.
     *
     * @param from the first key
     * @param to the key after the last one, larger than the first; empty: it has no end
     */
    public void addRangeDelete(int databaseId, byte[] from, byte[] to) {
      begin(databaseId, from.length, to.length);
      append(from);
      appendLength(to.length, EntryKind.CODE_OF_RANGE_DELETE);
      append(to);
    }

    /** Adds the operations of another writer; to one that has none yet. */
    public void addAll(Writer other) {
      bytes = Arrays.copyOf(other.bytes, Math.max(FIRST_CAPACITY, other.length));
      length = other.length;
      count = other.count;
      rawBytes = other.rawBytes;
    }

    private void begin(int databaseId, int keyLength, int valueLength) {
      length = VarInts.put(bytes, length, databaseId);
      length = VarInts.put(bytes, length, keyLength);
      count++;
      rawBytes += keyLength + valueLength;
    }

    private void appendLength(int valueLength, int kind) {
      length = VarInts.put(bytes, length, (long) valueLength << EntryKind.BITS | kind);
    }

    private void append(byte[] source) {
      System.arraycopy(source, 0, bytes, length, source.length);
      length += source.length;
    }

    private void append(ByteBuf source, int sourceLength) {
      source.getBytes(source.readerIndex(), bytes, length, sourceLength);
      length += sourceLength;
    }

    /** Removes all operations; keeps the memory unless it is large. */
    public void clear() {
      length = 0;
      count = 0;
      rawBytes = 0;
      if (bytes.length > KEPT_CAPACITY) {
        bytes = new byte[FIRST_CAPACITY];
      }
    }

    /** Number of operations. */
    public int count() {
      return count;
    }

    /** The operations, in the first {@link #length} bytes. */
    public byte[] array() {
      return bytes;
    }

    /** Bytes of the operations in this format. */
    public int length() {
      return length;
    }

    /** Bytes of all keys and values. */
    public long rawBytes() {
      return rawBytes;
    }
  }

  /**
   * Goes through the operations of a record, checking every length: what comes from a log is not
   * trusted even when its checksum is right. Reused; not thread-safe.
   */
  public static final class Reader {
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

    /** A reader of no operations. */
    public Reader() {}

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
      if (valueLength > EntryLimits.MAX_KEY_BYTES) {
        throw new IllegalArgumentException("the end of a range has " + valueLength + " bytes");
      }
      if (valueLength > 0
          && Bytes.compare(bytes, keyOffset, keyLength, bytes, valueOffset, valueLength) >= 0) {
        throw new IllegalArgumentException("the range of a range delete is empty");
      }
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
        if (at == end) {
          throw new IllegalArgumentException("the operations end within a " + what);
        }
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

    /** Database of the operation. */
    public int databaseId() {
      return databaseId;
    }

    /** What the operation does: the code of an {@link EntryKind}, or a range delete. */
    public int kind() {
      return kind;
    }

    /** Whether the operation is a range delete. */
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

    /**
     * The reference to a value that a put has in its place.
     *
     * @throws IllegalArgumentException when it says what none can
     */
    public Reference reference() {
      if (valueLength != Reference.BYTES) {
        throw new IllegalArgumentException("a reference has " + valueLength + " bytes");
      }
      return Reference.decode(ByteBuffer.wrap(bytes, valueOffset, valueLength));
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
}
