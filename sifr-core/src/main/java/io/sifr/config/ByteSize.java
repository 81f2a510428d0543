package io.sifr.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as they are written in settings: "4096", "64MiB". */
public final class ByteSize {
  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,18})\\s*(?:([KMGT])(?:i?B)?|B)?", Pattern.CASE_INSENSITIVE);
  private static final String PREFIXES = "KMGT";

  private ByteSize() {}

  /**
   * The bytes of a size: "4194304", "4MiB", "4M". Units are powers of 1024, in upper or lower case.
   *
   * @throws IllegalArgumentException when the text is no size, or more than a long can hold
   */
  public static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size; write bytes, or a number with KiB, MiB, GiB or TiB");
    }
    String prefix = matcher.group(2);
    int power = prefix == null ? 0 : PREFIXES.indexOf(prefix.toUpperCase(Locale.ROOT)) + 1;
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text + "' is too large", e);
    }
  }

  /** A size to the byte, with the largest unit that leaves a whole number: "4097", "64MiB". */
  public static String format(long bytes) {
    int power = 0;
    long whole = bytes;
    while (whole != 0 && whole % 1024 == 0 && power < PREFIXES.length()) {
      whole /= 1024;
      power++;
    }
    return power == 0 ? Long.toString(whole) : whole + PREFIXES.substring(power - 1, power) + "iB";
  }
}
