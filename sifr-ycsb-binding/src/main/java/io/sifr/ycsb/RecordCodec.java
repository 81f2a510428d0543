package io.sifr.ycsb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/**
 * Packs the fields of a YCSB record into one value of the store, one field after the other:
 *
 * <pre>
 *  varint  length n of the name
 *  n       name, UTF-8
 *  varint  length m of the field's value
 *  m       value
 * </pre>
 *
 * <p>A varint has seven bits per byte, the least significant first, with the high bit set on all
 * bytes but the last. Not thread-safe.
 */
final class RecordCodec {
  private static final int MAX_VARINT_BYTES = 5;

  private final FieldNames names = new FieldNames();

  /**
   * Encodes the fields as a value. Reads the iterators to their end.
   *
   * @throws IllegalArgumentException when the fields take more than 2 GiB
   */
  byte[] encode(Map<String, ByteIterator> fields) {
    byte[][] pieces = new byte[2 * fields.size()][];
    long length = 0;
    int count = 0;
    for (Map.Entry<String, ByteIterator> field : fields.entrySet()) {
      pieces[count++] = field.getKey().getBytes(StandardCharsets.UTF_8);
      pieces[count++] = field.getValue().toArray();
    }
    for (byte[] piece : pieces) {
      length += varintBytes(piece.length) + piece.length;
    }
    if (length > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("the fields of the record take " + length + " bytes");
    }
    byte[] record = new byte[(int) length];
    int at = 0;
    for (byte[] piece : pieces) {
      at = putVarint(record, at, piece.length);
      System.arraycopy(piece, 0, record, at, piece.length);
      at += piece.length;
    }
    return record;
  }

  /**
   * Puts the fields of a record into a map. The values are views of the record, nothing is copied.
   *
   * @param wanted names of the fields to return; null or empty means all of them
   * @throws IllegalArgumentException when these bytes are not a record
   */
  void decode(byte[] record, @Nullable Set<String> wanted, Map<String, ByteIterator> target) {
    ByteBuffer source = ByteBuffer.wrap(record);
    for (int place = 0; source.hasRemaining(); place++) {
      int nameLength = length(source);
      String name = names.name(place, record, source.position(), nameLength);
      source.position(source.position() + nameLength);
      int valueLength = length(source);
      if (wanted == null || wanted.isEmpty() || wanted.contains(name)) {
        target.put(name, new ByteArrayByteIterator(record, source.position(), valueLength));
      }
      source.position(source.position() + valueLength);
    }
  }

  /** Reads a length and checks that this many bytes follow. */
  private static int length(ByteBuffer source) {
    int start = source.position();
    int value = 0;
    for (int shift = 0; shift < 7 * MAX_VARINT_BYTES && source.hasRemaining(); shift += 7) {
      byte next = source.get();
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        if (value < 0 || value > source.remaining()) {
          break;
        }
        return value;
      }
    }
    throw new IllegalArgumentException(
        "the value of " + source.limit() + " bytes is not a record: bad length at byte " + start);
  }

  private static int varintBytes(int value) {
    return (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value | 1)) / 7 + 1;
  }

  private static int putVarint(byte[] target, int offset, int value) {
    int at = offset;
    int rest = value;
    while (rest > 0x7F) {
      target[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    target[at++] = (byte) rest;
    return at;
  }
}
