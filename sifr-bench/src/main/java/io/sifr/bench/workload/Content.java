package io.sifr.bench.workload;

/**
 * The content of values.
 *
 * @param kind its kind
 * @param file for {@link Kind#TEXT}, where the text is; empty for the others
 */
public record Content(Kind kind, String file) {
  /** Bytes that no codec can make smaller. */
  public static final Content RANDOM = new Content(Kind.RANDOM, "");

  /** Values of which the second half repeats the first. */
  public static final Content HALF = new Content(Kind.HALF, "");

  private static final String TEXT_PREFIX = "text=";

  /** Kinds of content. */
  public enum Kind {
    /** Random bytes. */
    RANDOM,
    /** Random bytes, followed by the same once more. */
    HALF,
    /** Pieces of a file. */
    TEXT
  }

  /**
   * The content of a name: {@code half} or {@code text=FILE}.
   *
   * @throws IllegalArgumentException when it is neither
   */
  static Content of(String name) {
    if (name.equals("half")) {
      return HALF;
    }
    if (name.startsWith(TEXT_PREFIX) && name.length() > TEXT_PREFIX.length()) {
      return new Content(Kind.TEXT, name.substring(TEXT_PREFIX.length()));
    }
    throw new IllegalArgumentException(
        "values are " + name + "; allowed: half, text=FILE, and nothing for random bytes");
  }
}
