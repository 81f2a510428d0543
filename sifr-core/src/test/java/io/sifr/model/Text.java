package io.sifr.model;

import java.util.TreeSet;

/** Text keys made from numbers, in the numbers' order. */
final class Text {

  private static final String[] SYLLABLES = syllables();
  private static final String[] NAMES = names();

  private Text() {}

  /** Up to four syllables, seven bits each, then a number of 24 bits. */
  static String words(long number) {
    StringBuilder word = new StringBuilder(32);
    for (int shift = 45; shift >= 24; shift -= 7) {
      int syllable = (int) (number >>> shift) & 127;
      if (syllable > 0) {
        word.append(word.isEmpty() ? "" : "-").append(SYLLABLES[syllable]);
      }
    }
    // Below the hyphen, so that a word comes before those that begin with it.
    return number(word.append('!'), number & 0xFFFFFF, 6, 16).toString();
  }

  /** A host, a path and a file. */
  static String url(long number) {
    int host = (int) (number >>> 40) & 2047;
    int path = (int) (number >>> 24) & 4095;
    StringBuilder url = new StringBuilder(64).append("https://").append(NAMES[2 * host]);
    url.append(".example.com/").append(NAMES[path]).append('/');
    return number(url, number & 0xFFFFFF, 6, 16).toString();
  }

  /** ISO time with milliseconds; all months have 28 days, so that no calendar is needed. */
  static String time(long millis) {
    long seconds = millis / 1000;
    long days = seconds / 86_400;
    StringBuilder time = new StringBuilder(32);
    number(time, 2020 + days / 336, 4, 10).append('-');
    number(time, 1 + days / 28 % 12, 2, 10).append('-');
    number(time, 1 + days % 28, 2, 10).append('T');
    number(time, seconds / 3600 % 24, 2, 10).append(':');
    number(time, seconds / 60 % 60, 2, 10).append(':');
    number(time, seconds % 60, 2, 10).append('.');
    return number(time, millis % 1000, 3, 10).toString();
  }

  /** Appends an unsigned number with leading zeros. */
  static StringBuilder number(StringBuilder text, long number, int digits, int radix) {
    String plain = Long.toUnsignedString(number, radix);
    return text.append("0".repeat(Math.max(0, digits - plain.length()))).append(plain);
  }

  /** 128 syllables of two to four letters, none the beginning of another. */
  private static String[] syllables() {
    TreeSet<String> syllables = new TreeSet<>();
    for (int i = 0; syllables.size() < 128; i++) {
      long mixed = Workload.mix(i) >>> 1;
      String consonants = "bcdfghklmnprstvw";
      String syllable =
          consonants.charAt((int) (mixed % 16))
              + ""
              + "aeiou".charAt((int) (mixed / 16 % 5))
              + (mixed / 80 % 2 == 0 ? "" : "" + consonants.charAt((int) (mixed / 160 % 16)));
      syllables.add(syllable);
    }
    return syllables.toArray(new String[0]);
  }

  private static String[] names() {
    TreeSet<String> names = new TreeSet<>((a, b) -> (a + "/").compareTo(b + "/"));
    for (int i = 0; names.size() < 4096; i++) {
      long mixed = Workload.mix(1000 + i) >>> 1;
      StringBuilder name = new StringBuilder();
      for (int k = 0; k <= mixed % 3; k++) {
        name.append(SYLLABLES[(int) (mixed >>> (8 + 7 * k)) & 127]);
      }
      if ((mixed >>> 40) % 4 == 0) {
        name.append(mixed >>> 44 & 7);
      }
      names.add(name.toString());
    }
    return names.toArray(new String[0]);
  }
}
