package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

/** The codecs for common types. All of them preserve order, so they serve for keys and values. */
public final class Codecs {
  private Codecs() {}

  /**
   * Strings, in the order of {@link String#compareTo}. Each {@code char} is encoded as UTF-8
   * encodes the code point with its number: ASCII takes one byte each, most other letters two or
   * three. Only characters beyond U+FFFF differ from UTF-8: as two chars they take six bytes, not
   * four; with four the order would be another. Any string can be encoded, also one with half of
   * such a pair.
   */
  public static OrderedCodec<String> strings() {
    return StringCodec.STRINGS;
  }

  /** Integers in natural order: four bytes, the highest first, with the sign bit inverted. */
  public static OrderedCodec<Integer> integers() {
    return FixedCodec.INTEGERS;
  }

  /** Longs in natural order: eight bytes, the highest first, with the sign bit inverted. */
  public static OrderedCodec<Long> longs() {
    return FixedCodec.LONGS;
  }

  /** Shorts in natural order: two bytes, the highest first, with the sign bit inverted. */
  public static OrderedCodec<Short> shorts() {
    return FixedCodec.SHORTS;
  }

  /**
   * Doubles in the order of {@link Double#compare}: -0.0 is before 0.0, and NaN is after all
   * others. Eight bytes, those of {@link Double#doubleToLongBits}, the highest first, with the sign
   * bit inverted if they are not negative, else all bits.
   */
  public static OrderedCodec<Double> doubles() {
    return FixedCodec.DOUBLES;
  }

  /** Booleans, false first: one byte, 0 or 1. */
  public static OrderedCodec<Boolean> booleans() {
    return FixedCodec.BOOLEANS;
  }

  /**
   * Instants in natural order: twelve bytes, the seconds since 1970 as a {@linkplain #longs long},
   * and four of the nanoseconds within the second.
   */
  public static OrderedCodec<Instant> instants() {
    return FixedCodec.INSTANTS;
  }

  /** Dates in natural order: the days since 1970-01-01 as a {@linkplain #longs long}. */
  public static OrderedCodec<LocalDate> dates() {
    return FixedCodec.DATES;
  }

  /**
   * Decimals in the order of their values, and of their scales if these are equal: 1.0 is before
   * 1.00, which is another decimal. A byte is 0 for negative ones, 1 for zero and 2 for positive
   * ones. Then follow, but for zero, the exponent n of the value as 0.d... times 10 to the power of
   * n, as an {@linkplain #integers integer}, its digits without zeros at the end, two in each byte
   * as their number plus one, and a zero byte; all these inverted if it is negative. The scale, as
   * an integer, is last.
   *
   * <p>A decimal with more than 100,000 digits, zeros at its end included, is refused.
   */
  public static OrderedCodec<BigDecimal> decimals() {
    return DecimalCodec.DECIMALS;
  }

  /**
   * The constants of an enum in their order: two bytes, the number of the constant. So constants
   * may be added after the others, but not taken away or moved.
   */
  public static <E extends Enum<E>> OrderedCodec<E> enums(Class<E> type) {
    return new EnumCodec<>(List.of(type.getEnumConstants()));
  }

  /**
   * Values in the opposite order. The bytes are those of the codec, each inverted; if they are of
   * {@linkplain OrderedCodec#fixedLength variable length}, each zero byte is followed by 0x01
   * before, and two zero bytes are the end. The opposite of the opposite is the codec itself.
   *
   * @param ascending the codec whose order is reversed
   */
  public static <T> OrderedCodec<T> descending(OrderedCodec<T> ascending) {
    return ascending instanceof DescendingCodec<T> twice
        ? twice.ascending()
        : new DescendingCodec<>(ascending);
  }

  /**
   * Records by their components, in the order of the first component in which they differ: the
   * bytes are those of {@link #tuples}. A record is read by its accessors and made by its canonical
   * constructor, so its package has to be open to this one if it is in a named module. No component
   * may be null.
   *
   * @param components a codec for each component; without any, those of their types: the ones of
   *     this class for strings, integers, longs, shorts, doubles, booleans, UUIDs, instants, dates,
   *     decimals, enums, and records of these
   * @throws IllegalArgumentException when the type has no component, or one of another type and no
   *     codecs are given, or not one for each; or when it cannot be read or made
   */
  public static <R extends Record> OrderedCodec<R> records(
      Class<R> type, OrderedCodec<?>... components) {
    return new RecordCodec<>(type, List.of(components));
  }

  /**
   * UUIDs in natural order, which is that of two signed longs: sixteen bytes, those of the most
   * significant and of the least significant bits, each as a {@linkplain #longs long}.
   */
  public static OrderedCodec<UUID> uuids() {
    return FixedCodec.UUIDS;
  }

  /** Arrays of bytes as they are, in unsigned order. The arrays are not copied. */
  public static OrderedCodec<byte[]> byteArrays() {
    return ByteArrayCodec.BYTE_ARRAYS;
  }

  /**
   * Lists of a fixed number of components, each with a codec, in the order of the first component
   * in which they differ. {@link OrderedCodec#mapped} makes a codec for another type of it, and
   * {@link #records} one for a record:
   *
   * <pre>{@code
   * record Visit(String page, Instant time) {}
   *
   * OrderedCodec<Visit> latestFirst =
   *     Codecs.records(Visit.class, Codecs.strings(), Codecs.descending(Codecs.instants()));
   * }</pre>
   *
   * <p>The bytes are those of the components, one after the other. A component of {@linkplain
   * OrderedCodec#fixedLength variable length} that is not the last has each zero byte followed by
   * 0x01, and ends with two zero bytes.
   *
   * @throws IllegalArgumentException when there is no component
   */
  public static OrderedCodec<List<Object>> tuples(OrderedCodec<?>... components) {
    return new TupleCodec(List.of(components));
  }
}
