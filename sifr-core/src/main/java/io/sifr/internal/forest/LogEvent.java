package io.sifr.internal.forest;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.util.KeyText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A change of the store that is not in the log and yet has its place among the writes: a sequence
 * number of its own. The manifest keeps it as long as the log before and after it is retained.
 */
public sealed interface LogEvent {
  /** Its sequence number. */
  long sequence();

  /** The smallest sequence number that may follow. */
  default long next() {
    return sequence() + 1;
  }

  /** A database was created. */
  record Created(long sequence, int databaseId, String name, DatabaseOptions options)
      implements LogEvent {}

  /** A database got other options. */
  record Altered(long sequence, int databaseId, String name, DatabaseOptions options)
      implements LogEvent {}

  /** A database was dropped. */
  record Dropped(long sequence, int databaseId, String name) implements LogEvent {}

  /**
   * Files were added to a database. An ingest of several databases is one event for each, all with
   * the same number.
   *
   * @param keys their range
   */
  record Ingested(long sequence, int databaseId, Keys keys) implements LogEvent {}

  /** The smallest and the largest key of what was ingested. */
  final class Keys {
    private final byte[] first;
    private final byte[] last;

    /** The keys between these, both included. */
    public Keys(byte[] first, byte[] last) {
      this.first = first;
      this.last = last;
    }

    /** The smallest key; not to be changed. */
    public byte[] first() {
      return first;
    }

    /** The largest key; not to be changed. */
    public byte[] last() {
      return last;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Keys keys
          && Arrays.equals(first, keys.first)
          && Arrays.equals(last, keys.last);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(first) + Arrays.hashCode(last);
    }

    @Override
    public String toString() {
      return KeyText.of(first) + " to " + KeyText.of(last);
    }
  }

  /**
   * Sequence numbers that belong to nothing: a recovery leaves some out.
   *
   * @param sequence the first of them
   * @param next the first one after them
   */
  record Skipped(long sequence, long next) implements LogEvent {}
}
