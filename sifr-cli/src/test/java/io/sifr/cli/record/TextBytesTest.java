package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextBytesTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "plain text", "Größe", "日本語", "\u00A0", "😀"})
  void printableTextIsItself(String text) {
    assertThat(TextBytes.escape(text.getBytes(UTF_8))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "09|\\t",
        "0a|\\n",
        "0d|\\r",
        "5c|\\\\",
        "00|\\x00",
        "1b5b|\\x1b[",
        "7f|\\x7f",
        // Control character, bidirectional override, line separator, byte order mark, private use.
        "c285|\\xc2\\x85",
        "e280ae|\\xe2\\x80\\xae",
        "e280a8|\\xe2\\x80\\xa8",
        "efbbbf|\\xef\\xbb\\xbf",
        "ee8080|\\xee\\x80\\x80",
        // Lone continuation, cut short, overlong, surrogate, after the last code point.
        "80|\\x80",
        "c3|\\xc3",
        "e697|\\xe6\\x97",
        "c0af|\\xc0\\xaf",
        "e080af|\\xe0\\x80\\xaf",
        "f08080af|\\xf0\\x80\\x80\\xaf",
        "eda080|\\xed\\xa0\\x80",
        "f4908080|\\xf4\\x90\\x80\\x80",
        "ff|\\xff",
        // What is cut short does not swallow what follows.
        "c341|\\xc3A",
        "e697c3a4|\\xe6\\x97ä"
      })
  void everythingElseIsEscaped(String hex, String escaped) {
    assertThat(TextBytes.escape(TextBytes.fromHex(hex))).isEqualTo(escaped);
  }

  @Test
  void escapedTextTurnsBackIntoTheSameBytes() {
    long seed = 1;
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      byte[] escaped = TextBytes.escape(bytes).getBytes(UTF_8);

      assertThat(TextBytes.unescape(escaped, 0, escaped.length))
          .describedAs("seed %d, round %d, %s", seed, i, TextBytes.toHex(bytes))
          .isEqualTo(bytes);
      assertThat(new String(escaped, UTF_8)).doesNotContain("\t", "\n", "\r", "\uFFFD");
    }
  }

  @Test
  void bytesThatWouldHaveBeenEscapedMayAlsoStandForThemselves() {
    byte[] text = {(byte) 0xFF, 0, 0x1B, 'a'};

    assertThat(TextBytes.unescape(text, 0, text.length)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "\\,a backslash ends the field",
    "\\q,unknown escape \\q",
    "\\x,two hexadecimal digits",
    "\\x1,two hexadecimal digits",
    "\\x1g,two hexadecimal digits",
    "\\x-1,two hexadecimal digits"
  })
  void unknownEscapesAreRefused(String text, String message) {
    byte[] bytes = text.getBytes(ISO_8859_1);

    assertThatThrownBy(() -> TextBytes.unescape(bytes, 0, bytes.length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void hexadecimalDigitsTurnIntoBytesAndBack() {
    assertThat(TextBytes.fromHex("00fFAb")).isEqualTo(new byte[] {0, (byte) 0xFF, (byte) 0xAB});
    assertThat(TextBytes.toHex(new byte[] {0, (byte) 0xFF, (byte) 0xAB})).isEqualTo("00ffab");
    assertThatThrownBy(() -> TextBytes.fromHex("abc")).hasMessageContaining("3 digits");
    assertThatThrownBy(() -> TextBytes.fromHex("ab0x"))
        .hasMessage("not hexadecimal: 'x' at position 4");
  }

  @Test
  void onlyValidUtf8IsAString() {
    assertThat(TextBytes.utf8("Größe\u0000".getBytes(UTF_8))).isEqualTo("Größe\u0000");
    assertThat(TextBytes.utf8(new byte[] {'a', (byte) 0xC3})).isNull();
    assertThat(TextBytes.utf8("Größe")).isEqualTo("Größe".getBytes(UTF_8));
    assertThatThrownBy(() -> TextBytes.utf8("\uD800")).isInstanceOf(IllegalArgumentException.class);
  }
}
