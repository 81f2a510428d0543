package io.sifr.internal.wal;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.util.VarInts;
import java.util.Arrays;

/**
 * Operations in their log format, one after the other:
 *
 * <pre>
 * varint database id | varint key length | key | varint value length · 16 + kind | value
 * </pre>
 *
 * A range delete has its first key as the key, and the key after its last one as the value; if it
 * has no end, the value is empty.
 *
 * <p>Not thread-safe.
 */
public final class OperationWriter {
  /** Most bytes of a batch: it has to fit into one log segment and one write buffer. */
  private static final int MAX_BYTES = 1 << 30;

  private static final int FIRST_CAPACITY = 512;
  private static final int KEPT_CAPACITY = 1 << 20;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private int count;
  private long rawBytes;

  /** A writer without operations. */
  public OperationWriter() {}

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
