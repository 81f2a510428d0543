package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.spi.OrderedCodec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The bytes of drawn values have their order, and give them back. */
class CodecsKeepOrderTest {
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  private <T> void check(
      OrderedCodec<T> codec, Function<Random, T> draw, Comparator<? super T> order) {
    for (int i = 0; i < 20_000; i++) {
      T a = draw.apply(random);
      T b = draw.apply(random);
      byte[] aBytes = codec.encode(a);
      byte[] bBytes = codec.encode(b);
      String described = a + " and " + b + ", seed " + seed;
      int wanted = Integer.signum(order.compare(a, b));
      assertThat(Integer.signum(Arrays.compareUnsigned(aBytes, bBytes)))
          .as(described)
          .isEqualTo(wanted);
      assertThat(Integer.signum(codec.comparator().compare(a, b))).as(described).isEqualTo(wanted);
      assertThat(codec.decode(aBytes)).as(described).isEqualTo(a);
      if (codec.fixedLength() != OrderedCodec.VARIABLE_LENGTH) {
        assertThat(aBytes).hasSize(codec.fixedLength());
      }
    }
  }

  private static <T> void checkBytes(OrderedCodec<T> codec, T value, String hex) {
    assertThat(HexFormat.of().formatHex(codec.encode(value))).isEqualTo(hex);
    assertThat(codec.decode(HexFormat.of().parseHex(hex))).isEqualTo(value);
  }

  private static void checkRefused(OrderedCodec<?> codec, String hex) {
    assertThatThrownBy(() -> codec.decode(HexFormat.of().parseHex(hex)))
        .as(hex)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no ");
  }

  /** Often a number near a border or near another. */
  private static long drawLong(Random random) {
    return (random.nextLong() >> random.nextInt(64)) + (random.nextInt(3) - 1);
  }

  /** Few characters of all kinds, so that many strings begin alike; halves of pairs, too. */
  private static String drawString(Random random) {
    String alphabet =
        "\0\u0001ab\u007f\u0080\u07ff\u0800\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff";
    StringBuilder drawn = new StringBuilder();
    int length = random.nextInt(6);
    for (int i = 0; i < length; i++) {
      drawn.append(
          random.nextInt(8) == 0
              ? (char) random.nextInt(1 << 16)
              : alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return drawn.toString();
  }

  private static UUID drawUuid(Random random) {
    return new UUID(random.nextBoolean() ? 5 : drawLong(random), drawLong(random));
  }

  private static List<Object> drawTuple(Random random) {
    return List.of(
        drawString(random),
        random.nextInt(3) - 1,
        random.nextBoolean() ? "" : drawString(random),
        drawString(random));
  }

  @Test
  void numbers() {
    check(Codecs.longs(), CodecsKeepOrderTest::drawLong, Comparator.naturalOrder());
    check(Codecs.integers(), drawn -> (int) drawLong(drawn), Comparator.naturalOrder());
    checkBytes(Codecs.integers(), 0, "80000000");
    checkBytes(Codecs.integers(), -1, "7fffffff");
    checkBytes(Codecs.longs(), 1L, "8000000000000001");
    checkBytes(Codecs.longs(), Long.MIN_VALUE, "0000000000000000");
    checkRefused(Codecs.integers(), "800000");
    checkRefused(Codecs.longs(), "80000000");
  }

  @Test
  void uuids() {
    check(Codecs.uuids(), CodecsKeepOrderTest::drawUuid, Comparator.naturalOrder());
    checkBytes(Codecs.uuids(), new UUID(1, -1), "80000000000000017fffffffffffffff");
    checkRefused(Codecs.uuids(), "80");
  }

  @Test
  void strings() {
    check(Codecs.strings(), CodecsKeepOrderTest::drawString, Comparator.naturalOrder());
    checkBytes(Codecs.strings(), "a\0b", "610062");
    checkBytes(Codecs.strings(), "\u00e9\u20ac", "c3a9e282ac");
    checkBytes(Codecs.strings(), "\ud83d\ude00", "eda0bdedb880");
    for (String hex :
        new String[] {"80", "c3", "c3c3", "c080", "e282", "e08080", "f09f9880", "ff"}) {
      checkRefused(Codecs.strings(), hex);
    }
  }

  @Test
  void arraysOfBytes() {
    check(
        Codecs.byteArrays(),
        drawn -> Codecs.strings().encode(drawString(drawn)),
        Arrays::compareUnsigned);
  }

  @Test
  void tuples() {
    OrderedCodec<List<Object>> codec =
        Codecs.tuples(Codecs.strings(), Codecs.integers(), Codecs.strings(), Codecs.strings());
    check(
        codec,
        CodecsKeepOrderTest::drawTuple,
        Comparator.<List<Object>, String>comparing(tuple -> (String) tuple.get(0))
            .thenComparing(tuple -> (Integer) tuple.get(1))
            .thenComparing(tuple -> (String) tuple.get(2))
            .thenComparing(tuple -> (String) tuple.get(3)));
    checkBytes(codec, List.of("a\0", 0, "", "\0"), "6100010000" + "80000000" + "0000" + "00");
    OrderedCodec<List<Object>> fixed = Codecs.tuples(Codecs.integers(), Codecs.longs());
    assertThat(fixed.fixedLength()).isEqualTo(12);
    checkBytes(fixed, List.of(0, 0L), "800000008000000000000000");
    checkBytes(
        Codecs.tuples(fixed, Codecs.strings()),
        List.of(List.of(0, 0L), "a"),
        "80000000800000000000000061");
    for (String hex : new String[] {"", "61", "6100", "610002", "61000080"}) {
      checkRefused(codec, hex);
    }
    assertThatThrownBy(() -> codec.encode(List.of("a")))
        .hasMessage("a tuple of 1 components, not 4");
    assertThatThrownBy(() -> Codecs.tuples()).hasMessage("a tuple without components");
  }

  private record Visit(String page, long time) {}

  @Test
  void valuesOfAnotherType() {
    OrderedCodec<Visit> visits =
        Codecs.tuples(Codecs.strings(), Codecs.longs())
            .mapped(
                tuple -> new Visit((String) tuple.get(0), (Long) tuple.get(1)),
                visit -> List.of(visit.page(), visit.time()));
    check(
        visits,
        drawn -> new Visit(drawString(drawn), drawLong(drawn)),
        Comparator.comparing(Visit::page).thenComparing(Visit::time));
  }
}
