package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.spi.OrderedCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
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

  @Test
  void smallTypes() {
    check(Codecs.shorts(), drawn -> (short) drawLong(drawn), Comparator.naturalOrder());
    check(Codecs.booleans(), Random::nextBoolean, Comparator.naturalOrder());
    checkBytes(Codecs.shorts(), (short) -1, "7fff");
    checkBytes(Codecs.booleans(), true, "01");
    checkRefused(Codecs.shorts(), "80");
    checkRefused(Codecs.booleans(), "02");
    checkRefused(Codecs.booleans(), "");
  }

  /** Often special ones, and neighbours. */
  private static double drawDouble(Random random) {
    double[] special = {0.0, -0.0, Double.NaN, Double.MIN_VALUE, Double.POSITIVE_INFINITY, 1};
    double drawn =
        random.nextInt(3) == 0
            ? special[random.nextInt(special.length)]
            : Double.longBitsToDouble(random.nextLong());
    double signed = random.nextBoolean() ? drawn : -drawn;
    return random.nextBoolean() ? signed : Math.nextUp(signed);
  }

  @Test
  void doubles() {
    check(Codecs.doubles(), CodecsKeepOrderTest::drawDouble, Double::compare);
    checkBytes(Codecs.doubles(), 1.0, "bff0000000000000");
    checkBytes(Codecs.doubles(), -1.0, "400fffffffffffff");
    checkBytes(Codecs.doubles(), 0.0, "8000000000000000");
    checkBytes(Codecs.doubles(), -0.0, "7fffffffffffffff");
    checkBytes(Codecs.doubles(), Double.NaN, "fff8000000000000");
    checkRefused(Codecs.doubles(), "fff8000000000001"); // another NaN
    checkRefused(Codecs.doubles(), "0000000000000000");
  }

  private static Instant drawInstant(Random random) {
    long second = drawLong(random) % (Instant.MAX.getEpochSecond() + 1);
    return random.nextInt(20) == 0
        ? random.nextBoolean() ? Instant.MIN : Instant.MAX
        : Instant.ofEpochSecond(second, random.nextInt(3) * 499_999_999L);
  }

  private static LocalDate drawDate(Random random) {
    return random.nextInt(20) == 0
        ? random.nextBoolean() ? LocalDate.MIN : LocalDate.MAX
        : LocalDate.ofEpochDay(drawLong(random) % LocalDate.MAX.toEpochDay());
  }

  @Test
  void times() {
    check(Codecs.instants(), CodecsKeepOrderTest::drawInstant, Comparator.naturalOrder());
    check(Codecs.dates(), CodecsKeepOrderTest::drawDate, LocalDate::compareTo);
    checkBytes(Codecs.instants(), Instant.ofEpochSecond(-1, 5), "7fffffffffffffff00000005");
    checkBytes(Codecs.dates(), LocalDate.of(1970, 1, 2), "8000000000000001");
    checkRefused(Codecs.instants(), "80000000000000003b9aca00"); // a whole second
    checkRefused(Codecs.instants(), "8000000000000000ffffffff");
    checkRefused(Codecs.instants(), "ffffffffffffffff00000000");
    checkRefused(Codecs.dates(), "ffffffffffffffff");
    checkRefused(Codecs.dates(), "8000");
  }

  /** Often of equal values, or with digits in common. */
  private static BigDecimal drawDecimal(Random random) {
    String[] digits = {
      "0", "1", "10", "100", "12", "120", "123", "99", "999", "5000000", "1000001"
    };
    BigInteger unscaled =
        random.nextInt(3) == 0
            ? new BigInteger(random.nextInt(200), random)
            : new BigInteger(digits[random.nextInt(digits.length)]);
    int scale = random.nextInt(20) == 0 ? random.nextInt() / 2 : random.nextInt(7) - 3;
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
  }

  @Test
  void decimals() {
    check(
        Codecs.decimals(),
        CodecsKeepOrderTest::drawDecimal,
        Comparator.<BigDecimal>naturalOrder().thenComparing(BigDecimal::scale));
    checkBytes(Codecs.decimals(), BigDecimal.ZERO, "0180000000");
    checkBytes(Codecs.decimals(), new BigDecimal("12.30"), "02800000020d1f0080000002");
    checkBytes(Codecs.decimals(), new BigDecimal("-12.3"), "007ffffffdf2e0ff80000001");
    for (String hex :
        new String[] {
          "",
          "02",
          "0380000000",
          "0280000001", // no digits
          "02800000010080000000", // none before the end
          "028000000201" + "0080000000", // a zero in front
          "02800000020d010080000000", // a zero at the end
          "02800000020d65" + "0080000000", // a pair above 99
          "02800000020d1f008000000200", // something more
          "02ffffffff0d00ffffffff", // four billion zeros
          "018000000000"
        }) {
      checkRefused(Codecs.decimals(), hex);
    }
    assertThatThrownBy(() -> Codecs.decimals().encode(new BigDecimal("1E+100000").setScale(0)))
        .hasMessage("no decimal: 100001 digits; allowed: up to 100000");
    assertThatThrownBy(
            () -> Codecs.decimals().encode(new BigDecimal(BigInteger.ONE, Integer.MIN_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10 to the power of 2147483649");
  }

  private enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "like grass";
      }
    },
    BLUE
  }

  @Test
  void enums() {
    OrderedCodec<Colour> codec = Codecs.enums(Colour.class);
    check(codec, drawn -> Colour.values()[drawn.nextInt(3)], Comparator.naturalOrder());
    checkBytes(codec, Colour.BLUE, "0002");
    checkRefused(codec, "0003");
    checkRefused(codec, "ffff");
    checkRefused(codec, "00");
    List<Object> wrong = List.of("RED");
    assertThatThrownBy(() -> Codecs.tuples(codec).encode(wrong))
        .hasMessage("RED is none of [RED, like grass, BLUE]");
  }

  @Test
  void descending() {
    check(
        Codecs.descending(Codecs.strings()),
        CodecsKeepOrderTest::drawString,
        Comparator.reverseOrder());
    check(
        Codecs.descending(Codecs.longs()),
        CodecsKeepOrderTest::drawLong,
        Comparator.reverseOrder());
    OrderedCodec<List<Object>> mixed =
        Codecs.tuples(
            Codecs.descending(Codecs.strings()),
            Codecs.integers(),
            Codecs.descending(Codecs.strings()),
            Codecs.strings());
    check(
        mixed,
        CodecsKeepOrderTest::drawTuple,
        Comparator.<List<Object>, String>comparing(
                tuple -> (String) tuple.get(0), Comparator.reverseOrder())
            .thenComparing(tuple -> (Integer) tuple.get(1))
            .thenComparing(tuple -> (String) tuple.get(2), Comparator.reverseOrder())
            .thenComparing(tuple -> (String) tuple.get(3)));
    checkBytes(Codecs.descending(Codecs.strings()), "a\0", "9efffeffff");
    checkBytes(Codecs.descending(Codecs.longs()), 1L, "7ffffffffffffffe");
    assertThat(Codecs.descending(Codecs.descending(Codecs.strings()))).isSameAs(Codecs.strings());
    for (String hex : new String[] {"", "9e", "9eff", "9efffd", "9effff00"}) {
      checkRefused(Codecs.descending(Codecs.strings()), hex);
    }
  }

  private record Inner(Colour colour, short number) {}

  private record Everything(
      String text,
      int integer,
      Integer boxed,
      long number,
      Double real,
      boolean flag,
      UUID id,
      Instant time,
      LocalDate date,
      BigDecimal price,
      Inner inner) {}

  private static Everything drawEverything(Random random) {
    return new Everything(
        random.nextInt(4) > 0 ? "" : drawString(random),
        random.nextInt(2),
        random.nextInt(2),
        random.nextInt(2),
        random.nextInt(4) > 0 ? 0 : drawDouble(random),
        random.nextBoolean(),
        new UUID(random.nextInt(2), 0),
        Instant.ofEpochSecond(random.nextInt(2)),
        LocalDate.ofEpochDay(random.nextInt(2)),
        random.nextInt(4) > 0 ? BigDecimal.TEN : drawDecimal(random),
        new Inner(Colour.values()[random.nextInt(3)], (short) drawLong(random)));
  }

  @Test
  void recordsOfKnownTypes() {
    check(
        Codecs.records(Everything.class),
        CodecsKeepOrderTest::drawEverything,
        Comparator.comparing(Everything::text)
            .thenComparing(Everything::integer)
            .thenComparing(Everything::boxed)
            .thenComparing(Everything::number)
            .thenComparing(Everything::real)
            .thenComparing(Everything::flag)
            .thenComparing(Everything::id)
            .thenComparing(Everything::time)
            .thenComparing(Everything::date)
            .thenComparing(Everything::price)
            .thenComparing(Everything::price, Comparator.comparing(BigDecimal::scale))
            .thenComparing(value -> value.inner().colour())
            .thenComparing(value -> value.inner().number()));
    checkBytes(Codecs.records(Inner.class), new Inner(Colour.GREEN, (short) 1), "00018001");
  }

  private record Positive(int number) {
    Positive {
      if (number <= 0) {
        throw new IllegalArgumentException("not positive");
      }
    }
  }

  private record Unknown(String name, Object value) {}

  private record Nothing() {}

  @Test
  void recordsOfGivenCodecsAndWhatCannotBe() {
    OrderedCodec<Visit> visits =
        Codecs.records(Visit.class, Codecs.strings(), Codecs.descending(Codecs.longs()));
    check(
        visits,
        drawn -> new Visit(drawString(drawn), drawLong(drawn)),
        Comparator.comparing(Visit::page).thenComparing(Visit::time, Comparator.reverseOrder()));
    checkBytes(Codecs.records(Positive.class), new Positive(1), "80000001");
    checkRefused(Codecs.records(Positive.class), "80000000");
    checkRefused(Codecs.records(Inner.class), "0001");
    @SuppressWarnings("NullAway") // what a program may do all the same
    Visit withNull = new Visit(null, 1);
    assertThatThrownBy(() -> visits.encode(withNull))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the component page of a ")
        .hasMessageEndingWith(" is null");
    assertThatThrownBy(() -> Codecs.records(Unknown.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no codec is known for the component value of ")
        .hasMessageEndingWith(", a java.lang.Object: give a codec for each component");
    assertThatThrownBy(() -> Codecs.records(Visit.class, Codecs.strings()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(" has 2 components, and there are 1 codecs");
    assertThatThrownBy(() -> Codecs.records(Nothing.class))
        .hasMessage("a tuple without components");
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
