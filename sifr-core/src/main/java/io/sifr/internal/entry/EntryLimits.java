package io.sifr.internal.entry;

/** The limits of keys and values, in memory and in every file. */
public final class EntryLimits {
  /** Size of the longest user key. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** Size of the longest value. */
  public static final int MAX_VALUE_BYTES = 1 << 29;

  private EntryLimits() {}
}
