package io.sifr.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values that a setting takes, and how they are written. */
sealed interface Domain<T> {
  /** Whether it is a "boolean", a "number", a "size" or a "choice". */
  String type();

  /** What a number counts; empty where nothing is counted. */
  String unit();

  /** The values, for people. */
  String allowed();

  /** All values, where they can be listed; otherwise empty. */
  List<String> choices();

  /** Whether a value is one of them. */
  boolean contains(T value);

  /** How a value is written; {@link #parse} reads it. */
  String format(T value);

  /** The value that a text stands for, or null when it is none of them. */
  @Nullable T parse(String text);

  private static <T> @Nullable T find(List<T> values, Function<T, String> name, String text) {
    return values.stream()
        .filter(value -> name.apply(value).equalsIgnoreCase(text))
        .findFirst()
        .orElse(null);
  }

  /** True or false. */
  record Flags() implements Domain<Boolean> {
    @Override
    public String type() {
      return "boolean";
    }

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
      return List.of("true", "false");
    }

    @Override
    public boolean contains(Boolean value) {
      return true;
    }

    @Override
    public String format(Boolean value) {
      return value.toString();
    }

    @Override
    public @Nullable Boolean parse(String text) {
      return find(List.of(true, false), this::format, text);
    }
  }

  /** The constants of an enum. */
  record Choices<E extends Enum<E>>(Class<E> constants) implements Domain<E> {
    @Override
    public String type() {
      return "choice";
    }

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
      return Arrays.stream(constants.getEnumConstants()).map(this::format).toList();
    }

    @Override
    public boolean contains(E value) {
      return true;
    }

    @Override
    public String format(E value) {
      return value.name();
    }

    @Override
    public @Nullable E parse(String text) {
      return find(List.of(constants.getEnumConstants()), this::format, text);
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
      if (automatic && text.toLowerCase(Locale.ROOT).equals(AUTOMATIC_TEXT)) {
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
