package io.sifr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRangeTest {
  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  @ParameterizedTest
  @CsvSource({
    // prefix, key, whether it begins so
    "61, 61, true",
    "61, 6100, true",
    "61, 61ff, true",
    "61, 62, false",
    "61, 60ff, false",
    "61, '', false",
    "61ff, 61ff, true",
    "61ff, 61ff00, true",
    "61ff, 62, false",
    "61ff, 61fe, false",
    "ff, ff, true",
    "ff, ffff01, true",
    "ff, fe, false",
    "ffff, ff, false",
    "ffff, ffff, true",
    "'', '', true",
    "'', ff, true",
    "7f, 7fff, true",
    "7f, 80, false",
    "80, 80, true",
    "80, 7f, false"
  })
  void prefixHoldsWhatBeginsSo(String prefix, String key, boolean expected) {
    assertThat(KeyRange.prefix(hex(prefix)).contains(hex(key))).isEqualTo(expected);
  }

  @Test
  void boundsAreUnsignedFromInclusiveToExclusive() {
    KeyRange range = KeyRange.between(hex("7f"), hex("81"));
    assertThat(range.contains(hex("7f"))).isTrue();
    assertThat(range.contains(hex("80ff"))).isTrue();
    assertThat(range.contains(hex("81"))).isFalse();
    assertThat(range.contains(hex("7e"))).isFalse();
    assertThat(KeyRange.between(hex("81"), hex("7f")).contains(hex("80"))).isFalse();
    assertThat(KeyRange.atLeast(hex("80")).contains(hex("80"))).isTrue();
    assertThat(KeyRange.atLeast(hex("80")).contains(hex("7f"))).isFalse();
    assertThat(KeyRange.lessThan(hex("80")).contains(hex("80"))).isFalse();
    assertThat(KeyRange.lessThan(hex("80")).contains(new byte[0])).isTrue();
    assertThat(KeyRange.all().contains(new byte[0])).isTrue();
  }

  @Test
  void laterChangesOfTheArraysDoNotReachIt() {
    byte[] from = hex("10");
    byte[] to = hex("20");
    KeyRange between = KeyRange.between(from, to);
    KeyRange prefix = KeyRange.prefix(from);
    from[0] = 0x50;
    to[0] = 0x60;
    assertThat(between.contains(hex("15"))).isTrue();
    assertThat(prefix.contains(hex("1001"))).isTrue();
  }

  @SuppressWarnings("NullAway") // what callers without nullness checks may give
  private static byte[] nothing() {
    return null;
  }

  @Test
  void noKeyIsNotAKey() {
    byte[] none = nothing();
    assertThatThrownBy(() -> KeyRange.prefix(none)).hasMessage("prefix is null");
    assertThatThrownBy(() -> KeyRange.atLeast(none)).hasMessage("from is null");
    assertThatThrownBy(() -> KeyRange.lessThan(none)).hasMessage("to is null");
    assertThatThrownBy(() -> KeyRange.all().contains(none))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is null");
  }

  @Test
  void bothBoundsMayBelongToItOrNot() {
    byte[] a = hex("61");
    byte[] b = hex("62");
    assertThat(KeyRange.greaterThan(a).contains(a)).isFalse();
    assertThat(KeyRange.greaterThan(a).contains(hex("6100"))).isTrue();
    assertThat(KeyRange.atMost(a).contains(a)).isTrue();
    assertThat(KeyRange.atMost(a).contains(hex("6100"))).isFalse();
    for (boolean fromInclusive : new boolean[] {false, true}) {
      for (boolean toInclusive : new boolean[] {false, true}) {
        KeyRange range = KeyRange.between(a, fromInclusive, b, toInclusive);
        assertThat(range.contains(a)).isEqualTo(fromInclusive);
        assertThat(range.contains(hex("6100"))).isTrue();
        assertThat(range.contains(b)).isEqualTo(toInclusive);
        assertThat(range.contains(hex("6200"))).isFalse();
      }
    }
    assertThat(KeyRange.between(b, true, a, true).contains(hex("61ff"))).isFalse();
    assertThat(KeyRange.between(a, true, a, true).contains(a)).isTrue();
    assertThat(KeyRange.between(a, true, a, false).contains(a)).isFalse();
  }

  @Test
  void boundsOfTheLongestKeysAreNotLonger() {
    byte[] longest = new byte[1 << 16];
    longest[longest.length - 1] = 7;
    byte[] next = longest.clone();
    next[next.length - 1] = 8;
    KeyRange after = KeyRange.greaterThan(longest);
    assertThat(after.contains(longest)).isFalse();
    assertThat(after.contains(next)).isTrue();
    assertThat(after.from()).hasSize(1 << 16);
    assertThat(KeyRange.atMost(longest).contains(longest)).isTrue();
    assertThat(KeyRange.atMost(longest).contains(next)).isFalse();

    byte[] last = new byte[1 << 16];
    Arrays.fill(last, (byte) -1);
    assertThat(KeyRange.greaterThan(last).contains(last)).isFalse();
    assertThat(KeyRange.greaterThan(last).and(KeyRange.all()).contains(last)).isFalse();
    assertThat(KeyRange.atMost(last).contains(last)).isTrue();
    assertThat(KeyRange.atMost(last).to()).isNull();
  }

  @Test
  void whatLiesInTwoRangesLiesInTheirIntersection() {
    KeyRange[] ranges = {
      KeyRange.all(),
      KeyRange.atLeast(hex("02")),
      KeyRange.greaterThan(hex("03")),
      KeyRange.lessThan(hex("05")),
      KeyRange.atMost(hex("04")),
      KeyRange.between(hex("01"), hex("03")),
      KeyRange.between(hex("06"), hex("04"))
    };
    for (KeyRange one : ranges) {
      for (KeyRange other : ranges) {
        for (int key = 0; key < 8; key++) {
          byte[] bytes = {(byte) key};
          assertThat(one.and(other).contains(bytes))
              .isEqualTo(one.contains(bytes) && other.contains(bytes));
        }
      }
    }
  }
}
