package io.sifr.internal.format;

import io.sifr.internal.entry.Trailer;

/**
 * Checks the numbers of edits, those that are written as well as those that are read. All methods
 * return what they have checked, or throw {@link IllegalArgumentException}.
 */
public final class EditNumbers {
  /** File numbers have at most 18 digits, see {@link io.sifr.internal.format.FileKind}. */
  private static final long MAX_NUMBER = 999_999_999_999_999_999L;

  private EditNumbers() {}

  public static int databaseId(int id) {
    if (id < 1) {
      throw new IllegalArgumentException("a database id is " + id + "; allowed: from 1");
    }
    return id;
  }

  public static long number(long number) {
    return atMost("a number", number, MAX_NUMBER);
  }

  public static long sequence(long sequence) {
    return atMost("a sequence number", sequence, Trailer.MAX_SEQUENCE);
  }

  /** The number after the last one used: may be one more than the largest number. */
  public static long nextNumber(long next) {
    return atMost("the next number", next, MAX_NUMBER + 1);
  }

  /** As above, of sequence numbers. */
  public static long nextSequence(long next) {
    return atMost("the next number", next, Trailer.MAX_SEQUENCE + 1);
  }

  public static long atMost(String what, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(what + " is " + value + "; allowed: 0 to " + max);
    }
    return value;
  }
}
