package io.sifr.internal.manifest;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Collects the fields of edits in an array that grows up to a limit. All methods throw {@link
 * IllegalArgumentException} when a value cannot be encoded faithfully.
 */
final class EditWriter {
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
    if (value < 0) {
      throw new IllegalArgumentException("a number is negative: " + value);
    }
    makeRoom(VarInts.MAX_LONG_BYTES);
    size = VarInts.put(bytes, size, value);
  }

  void fixedLong(long value) {
    makeRoom(Long.BYTES);
    Bytes.putLong(bytes, size, value);
    size += Long.BYTES;
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
    if (needed > maxBytes) {
      throw new IllegalArgumentException(
          "edits take more than the " + maxBytes + " bytes a record can hold");
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, Math.max(needed, 2L * bytes.length)));
    }
  }

  /**
   * Checks the numbers of edits, those that are written as well as those that are read. All methods
   * return what they have checked, or throw {@link IllegalArgumentException}.
   */
  static final class EditNumbers {
    /** File numbers have at most 18 digits, see {@link io.sifr.internal.format.FileKind}. */
    private static final long MAX_NUMBER = 999_999_999_999_999_999L;

    private EditNumbers() {}

    static int databaseId(int id) {
      if (id < 1) {
        throw new IllegalArgumentException("a database id is " + id + "; allowed: from 1");
      }
      return id;
    }

    static long number(long number) {
      return atMost("a number", number, MAX_NUMBER);
    }

    static long sequence(long sequence) {
      return atMost("a sequence number", sequence, Trailer.MAX_SEQUENCE);
    }

    /** The number after the last one used: may be one more than the largest number. */
    static long nextNumber(long next) {
      return atMost("the next number", next, MAX_NUMBER + 1);
    }

    /** As above, of sequence numbers. */
    static long nextSequence(long next) {
      return atMost("the next number", next, Trailer.MAX_SEQUENCE + 1);
    }

    static long atMost(String what, long value, long max) {
      if (value < 0 || value > max) {
        throw new IllegalArgumentException(what + " is " + value + "; allowed: 0 to " + max);
      }
      return value;
    }
  }
}
