package io.sifr.internal.entry.range;

import io.sifr.internal.util.Bytes;
import org.jspecify.annotations.Nullable;

/** The {@link DeadSpans} that cursors over a database have found so far. Thread-safe. */
public final class LearnedSpans {
  /** Longer keys are not kept. */
  private static final int MOST_KEY_BYTES = 1 << 10;

  private volatile DeadSpans spans = DeadSpans.NONE;

  /** None yet. */
  public LearnedSpans() {}

  /** Those found so far. */
  public DeadSpans get() {
    return spans;
  }

  /**
   * Adds a key range.
   *
   * @param from first key of the key range
   * @param to the key after the last one; null: there is none
   * @param sequence of the reader that found nothing in it
   */
  public void add(byte[] from, byte @Nullable [] to, long sequence) {
    byte[] end = to == null ? Bytes.EMPTY : to;
    if (from.length <= MOST_KEY_BYTES && end.length <= MOST_KEY_BYTES) {
      synchronized (this) {
        spans = spans.and(from, to, sequence);
      }
    }
  }
}
