package io.sifr.config;

import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The allowed values of a setting, and how they are written. */
interface Domain<T> {
  /** A "boolean", "number", "size", "time", "choice", "directory" or "policy". */
  String type();

  /** What a number counts; empty where nothing is counted. */
  String unit();

  /** The values, human-readable. */
  String allowed();

  /** All values, or how they may begin, if that can be listed; otherwise empty. */
  List<String> choices();

  /** Whether a value is one of them. */
  boolean contains(T value);

  /** How a value is written; {@link #parse} reads it. */
  String format(T value);

  /**
   * The value of a text, or null when it is not allowed.
   *
   * @throws IllegalArgumentException when a part of it is not allowed; the message says which
   */
  @Nullable T parse(String text);

  /** Values that can be listed: true and false, the constants of an enum. */
  record Choices<T>(String type, List<T> values) implements Domain<T> {
    @Override
    public String unit() {
      return "";
    }

    @Override
    public String allowed() {
      return String.join(", ", choices());
    }

    @Override
    public List<String> choices() {
      return values.stream().map(this::format).toList();
    }

    @Override
    public boolean contains(T value) {
      return values.contains(value);
    }

    @Override
    public String format(T value) {
      return value.toString();
    }

    @Override
    public @Nullable T parse(String text) {
      for (T value : values) {
        if (format(value).equalsIgnoreCase(text)) {
          return value;
        }
      }
      return null;
    }
  }

  /** Paths of directories; empty, written "none": no directory. */
  record Directories() implements Domain<String> {
    private static final String NONE = "none";

    @Override
    public String type() {
      return "directory";
    }

    @Override
    public String unit() {
      return "";
    }

    @Override
    public String allowed() {
      return "a path in one line, " + NONE;
    }

    @Override
    public List<String> choices() {
      return List.of();
    }

    @Override
    public boolean contains(String value) {
      if (value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0) {
        return false;
      }
      try {
        return Path.of(value).toString().isEmpty() == value.isEmpty();
      } catch (InvalidPathException e) {
        return false;
      }
    }

    @Override
    public String format(String value) {
      return value.isEmpty() ? NONE : value;
    }

    @Override
    public @Nullable String parse(String text) {
      String value = text.equalsIgnoreCase(NONE) ? "" : text;
      return contains(value) ? value : null;
    }
  }

  /** Decimal numbers of a range, and zero, which stands for no limit. */
  record Factors(double smallest, double largest) implements Domain<Double> {
    @Override
    public String type() {
      return "number";
    }

    @Override
    public String unit() {
      return "times";
    }

    @Override
    public String allowed() {
      return format(smallest) + " to " + format(largest) + ", 0";
    }

    @Override
    public List<String> choices() {
      return List.of();
    }

    @Override
    public boolean contains(Double value) {
      return value == 0 || (smallest <= value && value <= largest);
    }

    /** Without a fraction that is zero. */
    @Override
    public String format(Double value) {
      return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    @Override
    public @Nullable Double parse(String text) {
      try {
        double value = Double.parseDouble(text);
        return contains(value) ? (Double) value : null;
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }

  /**
   * Times in whole seconds up to the longest; 0 stands for no limit. Written with a unit: "90s",
   * "7d".
   */
  record Periods(long longestSeconds) implements Domain<Long> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,10})([smhd])");
    private static final String UNITS = "smhd";
    private static final long[] SECONDS = {1, 60, 3600, 86400};

    @Override
    public String type() {
      return "time";
    }

    @Override
    public String unit() {
      return "seconds";
    }

    @Override
    public String allowed() {
      return "1s to " + format(longestSeconds) + ", 0";
    }

    @Override
    public List<String> choices() {
      return List.of();
    }

    @Override
    public boolean contains(Long value) {
      return 0 <= value && value <= longestSeconds;
    }

    @Override
    public String format(Long value) {
      if (value == 0) {
        return "0";
      }
      int unit = SECONDS.length - 1;
      while (value % SECONDS[unit] != 0) {
        unit--;
      }
      return value / SECONDS[unit] + UNITS.substring(unit, unit + 1);
    }

    @Override
    public @Nullable Long parse(String text) {
      if (text.equals("0")) {
        return 0L;
      }
      Matcher matcher = TEXT.matcher(text.toLowerCase(Locale.ROOT));
      if (!matcher.matches()) {
        return null;
      }
      long value = Long.parseLong(matcher.group(1)) * SECONDS[UNITS.indexOf(matcher.group(2))];
      return contains(value) ? (Long) value : null;
    }
  }

  /**
   * Whole numbers of a range.
   *
   * @param automatic whether {@link #AUTOMATIC} is allowed too: the store chooses
   */
  record Numbers(String unit, long smallest, long largest, boolean automatic)
      implements Domain<Long> {
    static final String BYTES = "bytes";

    /** Stands for the value that the store chooses; written "auto". Outside all ranges. */
    static final long AUTOMATIC = Long.MIN_VALUE;

    private static final String AUTOMATIC_TEXT = "auto";

    @Override
    public String type() {
      return isSize() ? "size" : "number";
    }

    private boolean isSize() {
      return unit.equals(BYTES);
    }

    @Override
    public String allowed() {
      return format(smallest) + " to " + format(largest) + (automatic ? ", auto" : "");
    }

    @Override
    public List<String> choices() {
      return List.of();
    }

    @Override
    public boolean contains(Long value) {
      return smallest <= value && value <= largest;
    }

    @Override
    public String format(Long value) {
      if (value == AUTOMATIC) {
        return AUTOMATIC_TEXT;
      }
      return isSize() ? ByteSize.format(value) : value.toString();
    }

    @Override
    public @Nullable Long parse(String text) {
      if (automatic && text.equalsIgnoreCase(AUTOMATIC_TEXT)) {
        return AUTOMATIC;
      }
      try {
        long value = isSize() ? ByteSize.parse(text) : Long.parseLong(text);
        return contains(value) ? (Long) value : null;
      } catch (IllegalArgumentException e) {
        return null;
      }
    }
  }
}
