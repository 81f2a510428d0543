package io.sifr.internal.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads the fields of edits. No input is trusted: all methods throw {@link
 * IllegalArgumentException} or {@link java.nio.BufferUnderflowException} before they read past the
 * end or allocate more than there are bytes.
 */
public final class EditReader {
  /** Length that stands for {@link EntryLimits#LAST_KEY}; one more than that of any key. */
  static final int LAST_KEY = EntryLimits.MAX_KEY_BYTES + 1;

  private final Path file;
  private final long offset;
  private final ByteBuffer buffer;

  /**
   * @param file the file the edits come from, for messages
   * @param offset where they begin in it, for messages
   */
  public EditReader(Path file, long offset, ByteBuffer buffer) {
    this.file = file;
    this.offset = offset;
    this.buffer = buffer;
  }

  /** The exception for a part of an edit that a newer version may know. */
  public UnsupportedFormatException unsupported(String part, String supported) {
    return new UnsupportedFormatException(
        file, part + ", in an edit at offset " + offset + "; supported: " + supported);
  }

  public int tag() {
    return buffer.get() & 0xFF;
  }

  public long unsigned() {
    long value = VarInts.getLong(buffer);
    if (value < 0) {
      throw new IllegalArgumentException("a number is " + Long.toUnsignedString(value));
    }
    return value;
  }

  public int unsignedInt() {
    return VarInts.getInt(buffer);
  }

  public long fixedLong() {
    return buffer.getLong();
  }

  /** A count of items that follow and take at least {@code minBytesEach} each. */
  public int count(int minBytesEach) {
    int count = unsignedInt();
    checkArgument(
        count <= buffer.remaining() / minBytesEach,
        "a count is %s, but only %s bytes follow",
        count,
        buffer.remaining());
    return count;
  }

  public int databaseId() {
    return EditNumbers.databaseId(unsignedInt());
  }

  /** Reads the number of a file, a tree or a compaction. */
  public long number() {
    return EditNumbers.number(unsigned());
  }

  public List<Long> numbers() {
    return list(1, EditReader::number);
  }

  public long sequence() {
    return EditNumbers.sequence(unsigned());
  }

  public long nextSequence() {
    return EditNumbers.nextSequence(unsigned());
  }

  /** Reads a list of items that take at least {@code minBytesEach} each. */
  public <T> List<T> list(int minBytesEach, Function<EditReader, T> item) {
    int count = count(minBytesEach);
    List<T> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(item.apply(this));
    }
    return items;
  }

  public byte[] bytes() {
    byte[] value = new byte[count(1)];
    buffer.get(value);
    return value;
  }

  public byte[] key() {
    int length = unsignedInt();
    if (length == LAST_KEY) {
      return EntryLimits.LAST_KEY;
    }
    checkArgument(
        length <= EntryLimits.MAX_KEY_BYTES && length <= buffer.remaining(),
        "a key of %s bytes",
        length);
    byte[] key = new byte[length];
    buffer.get(key);
    return key;
  }

  public String text() {
    ByteBuffer encoded = nestedBuffer();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a name is not valid UTF-8", e);
    }
  }

  /** Reads what {@link EditWriter#nested} wrote. */
  public EditReader nested() {
    return new EditReader(file, offset, nestedBuffer());
  }

  private ByteBuffer nestedBuffer() {
    int length = count(1);
    ByteBuffer nested = buffer.slice(buffer.position(), length);
    buffer.position(buffer.position() + length);
    return nested;
  }

  public void checkAtEnd() {
    checkArgument(!buffer.hasRemaining(), "%s bytes are left over", buffer.remaining());
  }
}
