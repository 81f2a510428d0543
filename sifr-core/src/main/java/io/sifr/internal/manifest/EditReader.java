package io.sifr.internal.manifest;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of edits. No input is trusted: all methods throw {@link
 * IllegalArgumentException} or {@link java.nio.BufferUnderflowException} before they read past the
 * end or allocate more than there are bytes.
 */
final class EditReader {
  /** Length that stands for {@link EntryLimits#LAST_KEY}; one more than that of any key. */
  static final int LAST_KEY = EntryLimits.MAX_KEY_BYTES + 1;

  private final ByteBuffer buffer;

  EditReader(ByteBuffer buffer) {
    this.buffer = buffer;
  }

  int tag() {
    return buffer.get() & 0xFF;
  }

  long unsigned() {
    long value = VarInts.getLong(buffer);
    if (value < 0) {
      throw new IllegalArgumentException("a number is " + Long.toUnsignedString(value));
    }
    return value;
  }

  int unsignedInt() {
    return VarInts.getInt(buffer);
  }

  long fixedLong() {
    return buffer.getLong();
  }

  /** A count of items that follow and take at least {@code minBytesEach} each. */
  int count(int minBytesEach) {
    int count = unsignedInt();
    if (count > buffer.remaining() / minBytesEach) {
      throw new IllegalArgumentException(
          "a count is " + count + ", but only " + buffer.remaining() + " bytes follow");
    }
    return count;
  }

  byte[] bytes() {
    byte[] value = new byte[count(1)];
    buffer.get(value);
    return value;
  }

  /**
   * Reads a key.
   *
   * @param longest bytes it may have
   */
  byte[] key(int longest) {
    int length = unsignedInt();
    if (length == LAST_KEY) {
      return EntryLimits.LAST_KEY;
    }
    if (length > longest || length > buffer.remaining()) {
      throw new IllegalArgumentException("a key of " + length + " bytes");
    }
    byte[] key = new byte[length];
    buffer.get(key);
    return key;
  }

  String text() {
    ByteBuffer encoded = nestedBuffer();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a name is not valid UTF-8", e);
    }
  }

  /** Reads what {@link EditWriter#nested} wrote. */
  EditReader nested() {
    return new EditReader(nestedBuffer());
  }

  private ByteBuffer nestedBuffer() {
    int length = count(1);
    ByteBuffer nested = buffer.slice(buffer.position(), length);
    buffer.position(buffer.position() + length);
    return nested;
  }

  void checkAtEnd() {
    if (buffer.hasRemaining()) {
      throw new IllegalArgumentException(buffer.remaining() + " bytes are left over");
    }
  }
}
