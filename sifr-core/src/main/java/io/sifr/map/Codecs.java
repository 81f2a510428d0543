package io.sifr.map;

import io.sifr.spi.OrderedCodec;
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
   * in which they differ. {@link OrderedCodec#mapped} makes a codec for a record of it:
   *
   * <pre>{@code
   * record Visit(String page, long time) {}
   *
   * OrderedCodec<Visit> visits =
   *     Codecs.tuples(Codecs.strings(), Codecs.longs())
   *         .mapped(
   *             tuple -> new Visit((String) tuple.get(0), (Long) tuple.get(1)),
   *             visit -> List.of(visit.page(), visit.time()));
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
