package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A codec of a type in natural order whose values all take the same number of bytes: numbers of
 * which the sign bit is inverted, so that negative ones come first.
 *
 * @param what a name of the type, for messages
 * @param fixedLength bytes of a value
 * @param write writes a value into a buffer
 * @param read reads it
 */
record FixedCodec<T extends Comparable<? super T>>(
    String what, int fixedLength, BiConsumer<ByteBuffer, T> write, Function<ByteBuffer, T> read)
    implements OrderedCodec<T> {

  static final OrderedCodec<Integer> INTEGERS =
      new FixedCodec<>(
          "integer",
          Integer.BYTES,
          (buffer, value) -> buffer.putInt(value ^ Integer.MIN_VALUE),
          buffer -> buffer.getInt() ^ Integer.MIN_VALUE);

  static final OrderedCodec<Long> LONGS =
      new FixedCodec<>("long", Long.BYTES, FixedCodec::putLong, FixedCodec::getLong);

  static final OrderedCodec<UUID> UUIDS =
      new FixedCodec<>(
          "UUID",
          2 * Long.BYTES,
          (buffer, value) -> {
            putLong(buffer, value.getMostSignificantBits());
            putLong(buffer, value.getLeastSignificantBits());
          },
          buffer -> new UUID(getLong(buffer), getLong(buffer)));

  private static void putLong(ByteBuffer buffer, long value) {
    buffer.putLong(value ^ Long.MIN_VALUE);
  }

  private static long getLong(ByteBuffer buffer) {
    return buffer.getLong() ^ Long.MIN_VALUE;
  }

  @Override
  public byte[] encode(T value) {
    byte[] bytes = new byte[fixedLength];
    write.accept(ByteBuffer.wrap(bytes), value);
    return bytes;
  }

  @Override
  public T decode(byte[] bytes) {
    if (bytes.length != fixedLength) {
      throw new IllegalArgumentException(
          "no " + what + ": " + bytes.length + " bytes, not " + fixedLength);
    }
    return read.apply(ByteBuffer.wrap(bytes));
  }

  @Override
  public Comparator<? super T> comparator() {
    return Comparator.naturalOrder();
  }
}
