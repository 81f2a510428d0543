package io.sifr.bench.workload;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lengths of keys and values, and what values consist of.
 *
 * @param name as given on the command line
 * @param keyBytes bytes of each key, 8 to 1024
 * @param minValueBytes bytes of the shortest value, at least 1, because an empty value proves
 *     nothing
 * @param maxValueBytes bytes of the longest value, at most 1 MiB; all lengths in between are
 *     equally likely
 * @param content what values consist of
 */
public record Shape(
    String name, int keyBytes, int minValueBytes, int maxValueBytes, Content content) {
  private static final int MIN_KEY_BYTES = 8;
  private static final int MAX_KEY_BYTES = 1024;
  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final Pattern LENGTHS =
      Pattern.compile("(?<key>\\d{1,4}):(?<min>\\d{1,7})(?:-(?<max>\\d{1,7}))?");
  private static final char BEFORE_CONTENT = '+';

  /** Entries as the SifrDB papers measure with (TPDS §5.2): 123.5 bytes on average. */
  public static final Shape PAPER = new Shape("paper", 23, 1, 200);

  /** Entries of about a kilobyte, as YCSB's records are. */
  public static final Shape ONE_K = new Shape("1k", 24, 1000, 1000);

  /** A shape with values that no codec can make smaller. */
  public Shape(String name, int keyBytes, int minValueBytes, int maxValueBytes) {
    this(name, keyBytes, minValueBytes, maxValueBytes, Content.RANDOM);
  }

  /** Checks the ranges. */
  public Shape {
    if (keyBytes < MIN_KEY_BYTES || keyBytes > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key of %d bytes; allowed: %d to %d".formatted(keyBytes, MIN_KEY_BYTES, MAX_KEY_BYTES));
    }
    if (minValueBytes < 1 || maxValueBytes < minValueBytes || maxValueBytes > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "values of %d to %d bytes; allowed: 1 to %d"
              .formatted(minValueBytes, maxValueBytes, MAX_VALUE_BYTES));
    }
  }

  /**
   * The shape of a name: {@code paper}, {@code 1k}, {@code KEY:VALUE} or {@code KEY:MIN-MAX} in
   * bytes; with {@code +half} or {@code +text=FILE} after it, values that codecs can make smaller,
   * see {@link Content}.
   *
   * @throws IllegalArgumentException when it is none of these, or out of range
   */
  public static Shape of(String name) {
    int plus = name.indexOf(BEFORE_CONTENT);
    if (plus < 0) {
      return ofLengths(name);
    }
    Shape lengths = ofLengths(name.substring(0, plus));
    return new Shape(
        name,
        lengths.keyBytes,
        lengths.minValueBytes,
        lengths.maxValueBytes,
        Content.of(name.substring(plus + 1)));
  }

  private static Shape ofLengths(String name) {
    if (name.equals(PAPER.name)) {
      return PAPER;
    }
    if (name.equals(ONE_K.name)) {
      return ONE_K;
    }
    Matcher lengths = LENGTHS.matcher(name);
    if (!lengths.matches()) {
      throw new IllegalArgumentException(
          "the shape is "
              + name
              + "; allowed: paper, 1k, KEY:VALUE, KEY:MIN-MAX (in bytes),"
              + " and +half or +text=FILE after it");
    }
    int min = Integer.parseInt(lengths.group("min"));
    String max = lengths.group("max");
    return new Shape(
        name,
        Integer.parseInt(lengths.group("key")),
        min,
        max == null ? min : Integer.parseInt(max));
  }

  /** Bytes of a key and its value on average. */
  public double averageEntryBytes() {
    return keyBytes + (minValueBytes + maxValueBytes) / 2.0;
  }
}
