package io.sifr.internal.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Collects the fields of edits in an array that grows up to a limit. All methods throw {@link
 * IllegalArgumentException} when a value cannot be encoded faithfully.
 */
public final class EditWriter {
  /**
   * Longest group. Twelve million SSTs in one tree, which is 24 TiB, reach it. It is half of what
   * an array can hold, so that a frame fits around it.
   */
  public static final int MAX_BYTES = 1 << 30;

  private byte[] bytes = new byte[256];
  private int size;

  /** Nothing yet. */
  public EditWriter() {}

  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  public void tag(int tag) {
    makeRoom(1);
    bytes[size++] = (byte) tag;
  }

  public void unsigned(long value) {
    checkArgument(value >= 0, "a number is negative: %s", value);
    makeRoom(VarInts.MAX_LONG_BYTES);
    size = VarInts.put(bytes, size, value);
  }

  public void fixedLong(long value) {
    makeRoom(Long.BYTES);
    Bytes.putLong(bytes, size, value);
    size += Long.BYTES;
  }

  public void databaseId(int id) {
    unsigned(EditNumbers.databaseId(id));
  }

  /** Writes the number of a file, a tree or a compaction. */
  public void number(long number) {
    unsigned(EditNumbers.number(number));
  }

  public void numbers(List<Long> numbers) {
    list(numbers, (number, out) -> out.number(number));
  }

  /** Writes the number of items and each of them. */
  public <T> void list(List<T> items, BiConsumer<T, EditWriter> item) {
    unsigned(items.size());
    items.forEach(each -> item.accept(each, this));
  }

  public void sequence(long sequence) {
    unsigned(EditNumbers.sequence(sequence));
  }

  public void nextSequence(long next) {
    unsigned(EditNumbers.nextSequence(next));
  }

  public void bytes(byte[] value) {
    unsigned(value.length);
    copy(value, value.length);
  }

  /** Writes a key; the last of all keys, which is long, only as a length. */
  public void key(byte[] key) {
    if (Arrays.equals(key, EntryLimits.LAST_KEY)) {
      unsigned(EditReader.LAST_KEY);
    } else {
      bytes(key);
    }
  }

  public void text(String value) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
      byte[] copy = new byte[encoded.remaining()];
      encoded.get(copy);
      bytes(copy);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a name is not valid text: " + value, e);
    }
  }

  /** Writes what another writer has collected, preceded by its length. */
  public void nested(EditWriter body) {
    unsigned(body.size);
    copy(body.bytes, body.size);
  }

  public void clear() {
    size = 0;
  }

  private void copy(byte[] source, int length) {
    makeRoom(length);
    System.arraycopy(source, 0, bytes, size, length);
    size += length;
  }

  private void makeRoom(int more) {
    long needed = (long) size + more;
    checkArgument(
        needed <= MAX_BYTES, "edits take more than the %s bytes a record can hold", MAX_BYTES);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, 2L * bytes.length)));
    }
  }
}
