package io.sifr.model;

import java.util.Locale;
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
        word.append(SYLLABLES[syllable]).append('-');
      }
    }
    return word.append(String.format(Locale.ROOT, "!%06x", number & 0xFFFFFF))
        .toString()
        .replace("-!", "!");
  }

  /** A host, a path and a file. */
  static String url(long number) {
    int host = (int) (number >>> 40) & 2047;
    int path = (int) (number >>> 24) & 4095;
    return "https://"
        + NAMES[2 * host]
        + ".example.com/"
        + NAMES[path]
        + "/"
        + String.format("%06x", number & 0xFFFFFF);
  }

  /** ISO time with milliseconds; a year has 12 months of 28 days, so that no calendar is needed. */
  static String time(long millis) {
    long seconds = millis / 1000;
    long days = seconds / 86_400;
    return String.format(
        "20%02d-%02d-%02dT%02d:%02d:%02d.%03d",
        20 + days / 336,
        1 + days / 28 % 12,
        1 + days % 28,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
        millis % 1000);
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
      if (mixed >>> 40 % 4 == 0) {
        name.append(mixed >>> 44 & 7);
      }
      names.add(name.toString());
    }
    return names.toArray(new String[0]);
  }
}
