package io.sifr.cli.record;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values as text that people can read and that can be converted back to the same bytes.
 *
 * <p>Escaped text is the bytes themselves wherever they are valid, printable UTF-8; a tab, line
 * feed, carriage return and backslash are {@code \t \n \r \\}, every other byte is {@code \xNN}.
 * Control and formatting characters count as not printable, because they could control the
 * terminal.
 */
public final class TextBytes {
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] HEX_DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private TextBytes() {}

  /** Lower-case hexadecimal digits, two per byte. */
  public static String toHex(byte[] bytes) {
    return HEX.formatHex(bytes);
  }

  /**
   * The bytes that hexadecimal digits represent.
   *
   * @throws IllegalArgumentException when the text is not an even number of digits
   */
  public static byte[] fromHex(String digits) {
    if (digits.length() % 2 != 0) {
      throw new IllegalArgumentException(
          "not hexadecimal: " + digits.length() + " digits; two are needed for each byte");
    }
    for (int i = 0; i < digits.length(); i++) {
      if (!HexFormat.isHexDigit(digits.charAt(i))) {
        throw new IllegalArgumentException(
            "not hexadecimal: '" + digits.charAt(i) + "' at position " + (i + 1));
      }
    }
    return HEX.parseHex(digits);
  }

  /** The string whose UTF-8 form the bytes are, or null when they are not valid UTF-8. */
  public static @Nullable String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /**
   * The UTF-8 form of a string.
   *
   * @throws IllegalArgumentException when half of a surrogate pair is missing
   */
  public static byte[] utf8(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("half of a surrogate pair is missing", e);
    }
  }

  /** Escaped text. */
  public static String escape(byte[] bytes) {
    return new String(escapeToBytes(bytes), StandardCharsets.UTF_8);
  }

  /** The UTF-8 form of the escaped text. */
  static byte[] escapeToBytes(byte[] bytes) {
    ByteArrayOutputStream target = new ByteArrayOutputStream(bytes.length + 16);
    int plain = 0;
    int at = 0;
    while (at < bytes.length) {
      int length = printableLength(bytes, at);
      if (length > 0) {
        at += length;
        continue;
      }
      target.write(bytes, plain, at - plain);
      escapeByte(bytes[at], target);
      at++;
      plain = at;
    }
    target.write(bytes, plain, at - plain);
    return target.toByteArray();
  }

  private static void escapeByte(byte value, ByteArrayOutputStream target) {
    target.write('\\');
    switch (value) {
      case '\t' -> target.write('t');
      case '\n' -> target.write('n');
      case '\r' -> target.write('r');
      case '\\' -> target.write('\\');
      default -> {
        target.write('x');
        target.write(HEX_DIGITS[(value >> 4) & 0xF]);
        target.write(HEX_DIGITS[value & 0xF]);
      }
    }
  }

  /** Bytes of the printable character that begins at {@code at}; 0 when there is none. */
  private static int printableLength(byte[] bytes, int at) {
    int first = bytes[at] & 0xFF;
    if (first < 0x80) {
      return first >= ' ' && first < 0x7F && first != '\\' ? 1 : 0;
    }
    // 0xC0 and 0xC1 would begin overlong forms, 0xF5 and above are beyond the last code point.
    int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || bytes.length - at < length) {
      return 0;
    }
    int codePoint = first & (0x7F >> length);
    for (int i = 1; i < length; i++) {
      int next = bytes[at + i] & 0xFF;
      if ((next & 0xC0) != 0x80) {
        return 0;
      }
      codePoint = codePoint << 6 | (next & 0x3F);
    }
    boolean overlong = (length == 3 && codePoint < 0x800) || (length == 4 && codePoint < 0x10000);
    return !overlong && codePoint <= Character.MAX_CODE_POINT && isPrintable(codePoint)
        ? length
        : 0;
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /**
   * The bytes that escaped text represents. Bytes without an escape represent themselves, whether
   * or not they would have been escaped.
   *
   * @throws IllegalArgumentException when a backslash is followed by something unknown
   */
  static byte[] unescape(byte[] text, int from, int to) {
    byte[] bytes = new byte[to - from];
    int length = 0;
    int at = from;
    while (at < to) {
      byte next = text[at++];
      if (next == '\\') {
        if (at == to) {
          throw new IllegalArgumentException("a backslash ends the field");
        }
        byte code = text[at++];
        if (code == 'x') {
          next = hexByte(text, at, to);
          at += 2;
        } else {
          next = unescapedControl(code);
        }
      }
      bytes[length++] = next;
    }
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  private static byte hexByte(byte[] text, int at, int to) {
    if (to - at < 2 || !HexFormat.isHexDigit(text[at]) || !HexFormat.isHexDigit(text[at + 1])) {
      throw new IllegalArgumentException("\\x is not followed by two hexadecimal digits");
    }
    return (byte) (HexFormat.fromHexDigit(text[at]) << 4 | HexFormat.fromHexDigit(text[at + 1]));
  }

  private static byte unescapedControl(byte code) {
    return switch (code) {
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case '\\' -> '\\';
      default ->
          throw new IllegalArgumentException(
              "unknown escape \\"
                  + (code > ' ' && code < 0x7F ? "" + (char) code : "")
                  + "; known are \\t \\n \\r \\\\ \\xNN");
    };
  }
}
