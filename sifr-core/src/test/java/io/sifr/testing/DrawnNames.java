package io.sifr.testing;

import java.util.List;
import java.util.Random;

/** Names of databases and merge operators that a program may come up with. */
public final class DrawnNames {
  private static final int MOST_CHARACTERS = 255;

  /** At the limits of what is allowed, or with characters that mean something elsewhere. */
  private static final List<String> ALLOWED =
      List.of(
          "second",
          " ",
          "n".repeat(MOST_CHARACTERS),
          "\ud83c\udf52".repeat(MOST_CHARACTERS / 2),
          "line\u2028paragraph\u2029",
          "../\"%s\"/\ufffe\uffff",
          "\u202eright to left");

  private static final List<String> CONTROL = List.of("\n", "\0", "\r", "\t", "\u007f", "\u0085");
  private static final List<String> UNPAIRED = List.of("\ud800", "\udbff", "\udc00", "\udfff");

  private DrawnNames() {}

  /** One of the first so many names that are allowed. */
  public static String allowed(Random random, int most) {
    return ALLOWED.get(random.nextInt(Math.min(most, ALLOWED.size())));
  }

  /** A name that is not allowed: empty, too long, with a control character or half of a pair. */
  public static String refused(Random random) {
    String beside = random.nextBoolean() ? "" : allowed(random, 2);
    return switch (random.nextInt(6)) {
      case 0 -> "";
      case 1 -> "n".repeat(MOST_CHARACTERS + 1 + random.nextInt(1 << 16));
      case 2 -> beside + any(CONTROL, random) + beside;
      case 3 -> any(UNPAIRED.subList(2, 4), random) + any(UNPAIRED.subList(0, 2), random);
      default -> beside + any(UNPAIRED, random) + beside;
    };
  }

  private static String any(List<String> some, Random random) {
    return some.get(random.nextInt(some.size()));
  }
}
