package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A codec of a type in natural order whose values all take the same number of bytes: numbers of
 * which the sign bit is inverted, so that negative ones come first, and what consists of such.
 *
 * @param what a name of the type, for messages
 * @param fixedLength bytes of a value
 * @param write writes a value into a buffer
 * @param read reads it
 */
record FixedCodec<T extends Comparable<? super T>>(
    String what, int fixedLength, BiConsumer<ByteBuffer, T> write, Function<ByteBuffer, T> read)
    implements OrderedCodec<T> {

  private static final int NANOS_A_SECOND = 1_000_000_000;

  static final OrderedCodec<Integer> INTEGERS =
      new FixedCodec<>(
          "integer",
          Integer.BYTES,
          (buffer, value) -> buffer.putInt(value ^ Integer.MIN_VALUE),
          buffer -> buffer.getInt() ^ Integer.MIN_VALUE);

  static final OrderedCodec<Long> LONGS =
      new FixedCodec<>("long", Long.BYTES, FixedCodec::putLong, FixedCodec::getLong);

  static final OrderedCodec<Short> SHORTS =
      new FixedCodec<>(
          "short",
          Short.BYTES,
          (buffer, value) -> buffer.putShort((short) (value ^ Short.MIN_VALUE)),
          buffer -> (short) (buffer.getShort() ^ Short.MIN_VALUE));

  static final OrderedCodec<Boolean> BOOLEANS =
      new FixedCodec<>(
          "boolean",
          Byte.BYTES,
          (buffer, value) -> buffer.put((byte) (value ? 1 : 0)),
          FixedCodec::getBoolean);

  static final OrderedCodec<Double> DOUBLES =
      new FixedCodec<>(
          "double",
          Double.BYTES,
          (buffer, value) -> buffer.putLong(orderedBits(value)),
          FixedCodec::getDouble);

  static final OrderedCodec<Instant> INSTANTS =
      new FixedCodec<>(
          "instant",
          Long.BYTES + Integer.BYTES,
          (buffer, value) -> {
            putLong(buffer, value.getEpochSecond());
            buffer.putInt(value.getNano());
          },
          FixedCodec::getInstant);

  static final OrderedCodec<LocalDate> DATES =
      new FixedCodec<>(
          "date",
          Long.BYTES,
          (buffer, value) -> putLong(buffer, value.toEpochDay()),
          buffer -> checked("date", () -> LocalDate.ofEpochDay(getLong(buffer))));

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

  private static boolean getBoolean(ByteBuffer buffer) {
    byte value = buffer.get();
    if (value != 0 && value != 1) {
      throw new IllegalArgumentException("no boolean: byte " + value + ", not 0 or 1");
    }
    return value == 1;
  }

  /** Bits that have, unsigned, the order of {@link Double#compare}; one NaN has those of all. */
  private static long orderedBits(double value) {
    long bits = Double.doubleToLongBits(value);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  private static double getDouble(ByteBuffer buffer) {
    long ordered = buffer.getLong();
    double value = Double.longBitsToDouble(ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered);
    if (orderedBits(value) != ordered) {
      throw new IllegalArgumentException("no double: " + Long.toHexString(ordered));
    }
    return value;
  }

  private static Instant getInstant(ByteBuffer buffer) {
    long seconds = getLong(buffer);
    int nanos = buffer.getInt();
    if (nanos < 0 || nanos >= NANOS_A_SECOND) {
      throw new IllegalArgumentException("no instant: " + nanos + " ns within a second");
    }
    return checked("instant", () -> Instant.ofEpochSecond(seconds, nanos));
  }

  private static <T> T checked(String what, Supplier<T> made) {
    try {
      return made.get();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("no " + what + ": " + e.getMessage(), e);
    }
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
