package io.sifr.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.fasterxml.jackson.dataformat.smile.databind.SmileMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.common.primitives.Bytes;
import io.sifr.Store;
import io.sifr.map.Codecs;
import io.sifr.map.SifrMap;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JacksonCodecTest {
  record Fruit(String name, int grams) {}

  record Pair<A, B>(A first, B second) {}

  record Everything(
      long number,
      double fraction,
      BigInteger large,
      BigDecimal exact,
      Instant when,
      List<Fruit> several,
      Map<String, Integer> counts,
      @Nullable String nothing) {}

  record Positive(int value) {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("not positive: " + value);
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({@JsonSubTypes.Type(Cat.class), @JsonSubTypes.Type(Dog.class)})
  sealed interface Animal permits Cat, Dog {}

  record Cat(int lives) implements Animal {}

  record Dog(String breed) implements Animal {}

  /** Is written as null. */
  record Vanishing(String name) {
    @JsonValue
    @Nullable String written() {
      return null;
    }
  }

  /** Refers to itself, as often as one looks. */
  static final class Endless {
    public Endless getNext() {
      return this;
    }
  }

  static List<ObjectMapper> mappers() {
    return List.of(new ObjectMapper(), new CBORMapper(), new SmileMapper());
  }

  private static byte[] cut(byte[] bytes, int length) {
    return Arrays.copyOf(bytes, length);
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void valuesOfAMapComeBackAfterTheStoreIsOpenedAgain(ObjectMapper mapper) {
    JacksonCodec<Everything> values =
        JacksonCodec.of(mapper.registerModule(new JavaTimeModule()), Everything.class);
    Everything everything =
        new Everything(
            Long.MIN_VALUE,
            0.1,
            BigInteger.ONE.shiftLeft(70).negate(),
            new BigDecimal("1.00"),
            Instant.ofEpochSecond(1_700_000_000, 123_456_789),
            List.of(new Fruit("apple", 180), new Fruit("äpfel \u0000 🍏", -1)),
            Map.of("a", 1, "b", 2),
            null);
    Store.Builder memory = Store.inMemory();
    try (Store store = memory.open()) {
      SifrMap<String, Everything> map = SifrMap.over(store.database(), Codecs.strings(), values);
      assertThat(map.put("key", everything)).isNull();
      assertThat(map.replace("key", everything, everything)).isTrue();
    }
    try (Store store = memory.open()) {
      assertThat(SifrMap.over(store.database(), Codecs.strings(), values))
          .containsExactlyEntriesOf(Map.of("key", everything));
    }
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void aTypeMayHaveParameters(ObjectMapper mapper) {
    var codec =
        JacksonCodec.of(mapper, new TypeReference<Pair<Fruit, Map<Integer, List<Fruit>>>>() {});
    Pair<Fruit, Map<Integer, List<Fruit>>> pair =
        new Pair<>(new Fruit("apple", 180), Map.of(7, List.of(new Fruit("pear", 210))));

    assertThat(codec.decode(codec.encode(pair))).isEqualTo(pair);
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void elementsOfAnAbstractTypeComeBack(ObjectMapper mapper) {
    var codec = JacksonCodec.of(mapper, new TypeReference<List<Animal>>() {});
    List<Animal> animals = List.of(new Cat(9), new Dog("poodle"));

    assertThat(codec.decode(codec.encode(animals))).isEqualTo(animals);
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void equalMapsHaveTheSameBytes(ObjectMapper mapper) {
    var codec = JacksonCodec.of(mapper, new TypeReference<Map<String, Integer>>() {});
    Map<String, Integer> ascending = new LinkedHashMap<>(Map.of("a", 1));
    ascending.put("b", 2);
    Map<String, Integer> descending = new LinkedHashMap<>(Map.of("b", 2));
    descending.put("a", 1);

    assertThat(codec.encode(ascending)).isEqualTo(codec.encode(descending));
  }

  /** Every prefix, and everything with something behind it, a second value included. */
  @ParameterizedTest
  @MethodSource("mappers")
  void bytesThatAreNoValueAreRefused(ObjectMapper mapper) {
    JacksonCodec<Fruit> codec = JacksonCodec.of(mapper, Fruit.class);
    byte[] bytes = codec.encode(new Fruit("apple", 180));
    for (int length = 0; length < bytes.length; length++) {
      byte[] prefix = cut(bytes, length);
      assertThatIllegalArgumentException()
          .as("%s bytes of %s", length, bytes.length)
          .isThrownBy(() -> codec.decode(prefix))
          .withMessageStartingWith("no io.sifr.jackson.JacksonCodecTest$Fruit: ");
    }
    for (byte[] more : List.of(new byte[] {1}, new byte[] {'x'}, bytes)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> codec.decode(Bytes.concat(bytes, more)))
          .withMessageStartingWith("no io.sifr.jackson.JacksonCodecTest$Fruit: ");
    }
  }

  @ParameterizedTest
  @MethodSource("mappers")
  void nullIsNoValue(ObjectMapper mapper) throws Exception {
    byte[] ofNull = mapper.writeValueAsBytes(null);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(mapper, Fruit.class).decode(ofNull))
        .withMessage("no io.sifr.jackson.JacksonCodecTest$Fruit: it is null");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(mapper, Vanishing.class).encode(new Vanishing("ghost")))
        .withMessageContaining("Vanishing is written as null");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(mapper, JsonNode.class).decode(new byte[0]));
  }

  @Test
  void messagesSayWhatIsWrong() {
    ObjectMapper mapper = new ObjectMapper();
    JacksonCodec<Fruit> fruit = JacksonCodec.of(mapper, Fruit.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fruit.decode("{\"name\":\"apple\",\"grams\":\"many\"}".getBytes(UTF_8)))
        .withMessageContaining("Cannot deserialize value of type `int` from String \"many\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fruit.decode("{\"name\":\"apple\",\"taste\":1}".getBytes(UTF_8)))
        .withMessageContaining("\"taste\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fruit.decode("{\"name\":\"apple\"} {}".getBytes(UTF_8)))
        .withMessage("no io.sifr.jackson.JacksonCodecTest$Fruit: something follows it");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> JacksonCodec.of(mapper, Positive.class).decode("{\"value\":0}".getBytes(UTF_8)))
        .withMessageContaining("not positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(mapper, Endless.class).encode(new Endless()))
        .withMessageStartingWith(
            "a value of type io.sifr.jackson.JacksonCodecTest$Endless cannot be written as ");
  }

  /** A map that a program without type arguments puts something else into. */
  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void valuesOfAnotherTypeAreRefused() {
    JacksonCodec codec = JacksonCodec.of(new ObjectMapper(), Fruit.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encode("no fruit"))
        .withMessageStartingWith(
            "a value of type java.lang.String cannot be written as "
                + "io.sifr.jackson.JacksonCodecTest$Fruit: ");
  }

  /** As the README says of components that come and go. */
  @Test
  void componentsMayBeAddedToARecord() {
    ObjectMapper mapper = new ObjectMapper();
    record Older(String name) {}
    byte[] before = JacksonCodec.of(mapper, Older.class).encode(new Older("fig"));
    byte[] after = JacksonCodec.of(mapper, Fruit.class).encode(new Fruit("fig", 50));

    assertThat(JacksonCodec.of(mapper, Fruit.class).decode(before)).isEqualTo(new Fruit("fig", 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(mapper, Older.class).decode(after))
        .withMessageContaining("grams");
    ObjectMapper lenient =
        new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    assertThat(JacksonCodec.of(lenient, Older.class).decode(after)).isEqualTo(new Older("fig"));
  }

  @Test
  void whitespaceAroundJsonIsNothing() {
    JacksonCodec<Fruit> codec = JacksonCodec.of(new ObjectMapper(), Fruit.class);
    assertThat(codec.decode(" {\"name\":\"fig\",\"grams\":50}\n ".getBytes(UTF_8)))
        .isEqualTo(new Fruit("fig", 50));
  }

  @Test
  void whatTheMapperIsTaughtLaterHasNoEffect() {
    ObjectMapper mapper = new ObjectMapper();
    JacksonCodec<Fruit> codec = JacksonCodec.of(mapper, Fruit.class);
    byte[] before = codec.encode(new Fruit("fig", 50));
    mapper.enable(com.fasterxml.jackson.databind.SerializationFeature.INDENT_OUTPUT);
    assertThat(codec.encode(new Fruit("fig", 50))).isEqualTo(before);
  }
}
