package io.sifr.jackson;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sifr.spi.Codec;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Values as Jackson writes them, in the format of a mapper: JSON with an {@link ObjectMapper}, CBOR
 * or Smile with theirs. For values of maps, not for keys: the bytes have no order.
 *
 * <pre>{@code
 * record Fruit(String color, int grams) {}
 *
 * SifrMap<String, Fruit> fruit =
 *     SifrMap.over(
 *         store.database(), Codecs.strings(), JacksonCodec.of(new ObjectMapper(), Fruit.class));
 * }</pre>
 *
 * <p>The mapper's modules and features decide how a type is written, and so whether a value that is
 * read equals the one that was written. Always, whatever they say, entries of maps are sorted by
 * their keys, so that equal maps have the same bytes, and nothing may follow a value. The bytes of
 * a {@code HashSet} have the order of its iteration.
 *
 * <p>Immutable and thread-safe; what is changed at the mapper later has no effect.
 *
 * @param <T> the type of the values
 */
public final class JacksonCodec<T> implements Codec<T> {
  private final JavaType type;
  private final ObjectWriter writer;
  private final ObjectReader reader;

  /** What is written for null. */
  private final byte[] nothing;

  private JacksonCodec(ObjectMapper mapper, JavaType type) {
    this.type = type;
    // By the declared type, as it is read: a list of an abstract type then has the names of those
    // of its elements.
    this.writer = mapper.writerFor(type).with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
    this.reader = mapper.readerFor(type);
    try {
      this.nothing = writer.writeValueAsBytes(null);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "values of type " + type.toCanonical() + " cannot be written: " + e.getOriginalMessage(),
          e);
    }
  }

  /**
   * Values of a class.
   *
   * @param mapper chooses the format, and how the class is written
   * @param <T> the type of the values
   */
  public static <T> JacksonCodec<T> of(ObjectMapper mapper, Class<T> type) {
    return new JacksonCodec<>(
        Objects.requireNonNull(mapper, "mapper"),
        mapper.constructType(Objects.requireNonNull(type, "type")));
  }

  /**
   * Values of a type with parameters: {@code new TypeReference<List<Fruit>>() {}}.
   *
   * @param mapper chooses the format, and how the type is written
   * @param <T> the type of the values
   */
  public static <T> JacksonCodec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new JacksonCodec<>(
        Objects.requireNonNull(mapper, "mapper"),
        mapper.constructType(Objects.requireNonNull(type, "type")));
  }

  /**
   * The bytes of a value.
   *
   * @throws IllegalArgumentException when Jackson cannot write it, or writes it as null
   */
  @Override
  public byte[] encode(T value) {
    byte[] bytes;
    try {
      bytes = writer.writeValueAsBytes(Objects.requireNonNull(value, "value"));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "a value of type "
              + value.getClass().getName()
              + " cannot be written as "
              + type.toCanonical()
              + ": "
              + e.getOriginalMessage(),
          e);
    }
    if (Arrays.equals(bytes, nothing)) {
      throw new IllegalArgumentException(
          "a value of type " + value.getClass().getName() + " is written as null, which is none");
    }
    return bytes;
  }

  /**
   * The value with these bytes.
   *
   * @throws IllegalArgumentException when Jackson cannot read them as a value of the type, when
   *     they are those of null, or when bytes are left
   */
  @Override
  public T decode(byte[] bytes) {
    T value;
    try (JsonParser parser = reader.createParser(bytes)) {
      value = reader.readValue(parser);
      // Not FAIL_ON_TRAILING_TOKENS: it does not see a second document of Smile, which begins with
      // a header. Formats that are read as characters have no offset of bytes, but tokens.
      if (parser.nextToken() != null || isBefore(parser.currentLocation(), bytes.length)) {
        throw new IllegalArgumentException(noValue() + "something follows it");
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(noValue() + reason(e), e);
    }
    if (value == null) {
      throw new IllegalArgumentException(noValue() + "it is null");
    }
    return value;
  }

  private static boolean isBefore(JsonLocation location, int end) {
    return location.getByteOffset() >= 0 && location.getByteOffset() < end;
  }

  private String noValue() {
    return "no " + type.toCanonical() + ": ";
  }

  private static String reason(IOException e) {
    return e instanceof JsonProcessingException said
        ? said.getOriginalMessage()
        : String.valueOf(e);
  }
}
