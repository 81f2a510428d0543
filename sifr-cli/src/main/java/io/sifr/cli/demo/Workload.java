package io.sifr.cli.demo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * Entries of the shape the SifrDB papers measure with: keys of 23 bytes, "user" and a number of 19
 * decimal digits; values of 1 to 200 bytes, all lengths equally likely. The n-th entry is a
 * function of n, and its value a function of the number in its key, so a reader can verify an entry
 * without a copy of it.
 *
 * <p>Immutable; safe for any thread. Uses only the JDK, so that it can be copied.
 */
public final class Workload {
  /** Bytes of a key. */
  public static final int KEY_BYTES = 23;

  /** Bytes of the longest value; the shortest has one. */
  public static final int MAX_VALUE_BYTES = 200;

  private static final byte[] PREFIX = "user".getBytes(StandardCharsets.US_ASCII);
  private static final long LARGEST_NUMBER = Long.MAX_VALUE;

  /** Distance of two ascending keys, which leaves room for outliers. */
  private static final int OUTLIER_GAP_BITS = 8;

  private final String name;
  private final boolean distinct;
  private final LongUnaryOperator numbers;

  private Workload(String name, boolean distinct, LongUnaryOperator numbers) {
    this.name = name;
    this.distinct = distinct;
    this.numbers = numbers;
  }

  /** Keys from the whole key space in random order. No two are equal. */
  public static Workload random() {
    return new Workload("random", true, Workload::shuffle);
  }

  /** Each key is larger than the one before. */
  public static Workload ascending() {
    return new Workload("ascending", true, LongUnaryOperator.identity());
  }

  /**
   * Interleaved ascending streams that are far apart. No two keys are equal.
   *
   * @param streams number of streams
   */
  public static Workload streams(int streams) {
    if (streams < 1) {
      throw new IllegalArgumentException("streams is " + streams + "; allowed: 1 and more");
    }
    long distance = LARGEST_NUMBER / streams;
    return new Workload("streams:" + streams, true, n -> n % streams * distance + n / streams);
  }

  /**
   * Ascending keys, some of which are replaced by keys from anywhere in the range written so far.
   * In rare cases two of those are equal.
   *
   * @param fraction the fraction that is replaced, 0 to 1
   */
  public static Workload outliers(double fraction) {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException(
          "the fraction of outliers is " + fraction + "; allowed: 0 to 1");
    }
    long threshold = (long) (fraction * LARGEST_NUMBER);
    return new Workload("outliers:" + fraction, false, n -> withOutliers(n, threshold));
  }

  /**
   * The workload of a name: {@code random}, {@code ascending}, {@code streams:N} or {@code
   * outliers:FRACTION}.
   */
  public static Workload of(String name) {
    if (name.equals("random")) {
      return random();
    } else if (name.equals("ascending")) {
      return ascending();
    }
    try {
      if (name.startsWith("streams:")) {
        return streams(Integer.parseInt(name.substring("streams:".length())));
      } else if (name.startsWith("outliers:")) {
        return outliers(Double.parseDouble(name.substring("outliers:".length())));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + name + "' has no number after the colon", e);
    }
    throw new IllegalArgumentException(
        "'"
            + name
            + "' is not a workload; known are random, ascending, streams:N, outliers:FRACTION");
  }

  /** The name that {@link #of} reads. */
  public String name() {
    return name;
  }

  /** Whether no two keys are equal. */
  public boolean isDistinct() {
    return distinct;
  }

  /** The number in the key of the n-th entry, from 0. */
  public long number(long n) {
    return numbers.applyAsLong(n);
  }

  /** The key of the n-th entry, from 0. */
  public byte[] key(long n) {
    return keyOf(number(n));
  }

  /** The value of the n-th entry, from 0. */
  public byte[] value(long n) {
    return valueOf(number(n));
  }

  /** The key with a number in it. */
  public static byte[] keyOf(long number) {
    byte[] key = Arrays.copyOf(PREFIX, KEY_BYTES);
    long rest = number;
    for (int i = KEY_BYTES - 1; i >= PREFIX.length; i--) {
      key[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return key;
  }

  /** The number in a key, or -1 when the key is not of this form. */
  public static long numberOf(byte[] key) {
    if (key.length != KEY_BYTES
        || !Arrays.equals(key, 0, PREFIX.length, PREFIX, 0, PREFIX.length)) {
      return -1;
    }
    long number = 0;
    for (int i = PREFIX.length; i < KEY_BYTES; i++) {
      int digit = key[i] - '0';
      if (digit < 0 || digit > 9 || number > (LARGEST_NUMBER - digit) / 10) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** The value that belongs to the key with a number in it. */
  public static byte[] valueOf(long number) {
    long seed = mix(number);
    int length = 1 + (int) Long.remainderUnsigned(seed, MAX_VALUE_BYTES);
    ByteBuffer value = ByteBuffer.allocate(MAX_VALUE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    while (value.position() < length) {
      seed += 0x9E3779B97F4A7C15L;
      value.putLong(mix(seed));
    }
    return Arrays.copyOf(value.array(), length);
  }

  private static long withOutliers(long n, long threshold) {
    long dice = mix(n);
    if ((dice & LARGEST_NUMBER) >= threshold) {
      return n << OUTLIER_GAP_BITS;
    }
    long anywhere = Long.remainderUnsigned(mix(dice), n + 1);
    return (anywhere << OUTLIER_GAP_BITS) + 1 + (n & 127);
  }

  /**
   * Permutes 63-bit numbers pseudo-randomly: every step is invertible, so no two numbers become
   * equal.
   */
  private static long shuffle(long n) {
    long x = n * 0x9E3779B97F4A7C15L & LARGEST_NUMBER;
    x ^= x >>> 32;
    x = x * 0xD6E8FEB86659FD93L & LARGEST_NUMBER;
    x ^= x >>> 29;
    x = x * 0xBF58476D1CE4E5B9L & LARGEST_NUMBER;
    return x ^ x >>> 32;
  }

  /** A pseudo-random number that depends on all bits of another (the mixing of SplitMix64). */
  private static long mix(long n) {
    long x = n + 0x9E3779B97F4A7C15L;
    x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
    x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
    return x ^ x >>> 31;
  }
}
