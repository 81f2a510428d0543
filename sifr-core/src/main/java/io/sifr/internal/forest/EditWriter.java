package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.VarInts;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Collects the fields of edits in an array that grows up to a limit. All methods throw {@link
 * IllegalArgumentException} when a value cannot be encoded faithfully.
 */
final class EditWriter {
  static final int HAS_LOWER_BOUND = 1;
  static final int HAS_UPPER_BOUND = 2;

  private final int maxBytes;
  private byte[] bytes = new byte[256];
  private int size;

  EditWriter(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  void tag(int tag) {
    makeRoom(1);
    bytes[size++] = (byte) tag;
  }

  void unsigned(long value) {
    checkArgument(value >= 0, "a number is negative: %s", value);
    makeRoom(VarInts.MAX_LONG_BYTES);
    size = VarInts.put(bytes, size, value);
  }

  void fixedLong(long value) {
    makeRoom(Long.BYTES);
    Bytes.putLong(bytes, size, value);
    size += Long.BYTES;
  }

  void databaseId(int id) {
    unsigned(EditNumbers.databaseId(id));
  }

  /** Writes the number of a file, a tree or a compaction. */
  void number(long number) {
    unsigned(EditNumbers.number(number));
  }

  void numbers(List<Long> numbers) {
    unsigned(numbers.size());
    numbers.forEach(this::number);
  }

  void sequence(long sequence) {
    unsigned(EditNumbers.sequence(sequence));
  }

  void nextSequence(long next) {
    unsigned(EditNumbers.nextSequence(next));
  }

  void spans(List<KeySpan> spans) {
    unsigned(spans.size());
    spans.forEach(this::span);
  }

  void span(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    unsigned((above == null ? 0 : HAS_LOWER_BOUND) | (last == null ? 0 : HAS_UPPER_BOUND));
    if (above != null) {
      key(above);
    }
    if (last != null) {
      key(last);
    }
  }

  void bytes(byte[] value) {
    unsigned(value.length);
    copy(value, value.length);
  }

  /** Writes a key; the last of all keys, which is long, only as a length. */
  void key(byte[] key) {
    if (Arrays.equals(key, EntryLimits.LAST_KEY)) {
      unsigned(EditReader.LAST_KEY);
    } else {
      bytes(key);
    }
  }

  void text(String value) {
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
  void nested(EditWriter body) {
    unsigned(body.size);
    copy(body.bytes, body.size);
  }

  void clear() {
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
        needed <= maxBytes, "edits take more than the %s bytes a record can hold", maxBytes);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, Math.max(needed, 2L * bytes.length)));
    }
  }
}
