package io.sifr.internal.backup;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of the objects of a backup, which are files if it is in a directory. A name that comes from
 * a listing is looked at before it is used.
 */
final class ObjectNames {
  /** By which a backup is known. */
  static final String MARK = "BACKUP";

  /** Before the SSTs and value files of all points. */
  static final String SSTS = "ssts/";

  /** Before the files of the points' own. */
  static final String POINTS = "points/";

  private static final int DIGITS = 12;
  private static final int LONGEST = 200;
  private static final Pattern SAFE = Pattern.compile("[0-9A-Za-z._-]+(/[0-9A-Za-z._-]+)*");
  private static final Pattern DOTS = Pattern.compile("(.*/)?[.]+(/.*)?");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{" + DIGITS + ",18}");
  private static final Pattern OF_POINT = Pattern.compile(POINTS + "(" + NUMBER.pattern() + ")/.+");

  private ObjectNames() {}

  /** What the object {@link #MARK} contains, for those who look into it. */
  static byte[] markContent() {
    return "sifr backup 1\n".getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a name leads nowhere but below the place of a backup, whatever it is added to. */
  static boolean isSafe(String name) {
    return name.length() <= LONGEST
        && SAFE.matcher(name).matches()
        && !DOTS.matcher(name).matches();
  }

  /** A number as it stands in names. */
  static String digits(long number) {
    return String.format("%0" + DIGITS + "d", number);
  }

  /** The number that {@link #digits} has made a name. */
  static OptionalLong number(String name) {
    return NUMBER.matcher(name).matches()
        ? OptionalLong.of(Long.parseLong(name))
        : OptionalLong.empty();
  }

  /** Before the files of a point's own. */
  static String point(long number) {
    return POINTS + digits(number) + "/";
  }

  /** The list of a point. */
  static String list(long number) {
    return point(number) + PointFile.NAME;
  }

  /** The number of the point to which a name belongs, if it is of a file of a point's own. */
  static OptionalLong pointOf(String name) {
    Matcher parts = OF_POINT.matcher(name);
    return parts.matches() ? OptionalLong.of(Long.parseLong(parts.group(1))) : OptionalLong.empty();
  }
}
