package io.sifr.internal.entry;

/** How large a key and a value can be, in memory and in every file. */
public final class EntryLimits {
  /** Bytes of the longest user key. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** Bytes of the longest value. */
  public static final int MAX_VALUE_BYTES = 1 << 29;

  private EntryLimits() {}
}
