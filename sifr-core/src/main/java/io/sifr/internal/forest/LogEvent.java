package io.sifr.internal.forest;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.util.Key;

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
   * @param first the smallest key of what was ingested
   * @param last the largest one
   */
  record Ingested(long sequence, int databaseId, Key first, Key last) implements LogEvent {}

  /**
   * Sequence numbers that belong to nothing: a recovery leaves some out.
   *
   * @param sequence the first of them
   * @param next the first one after them
   */
  record Skipped(long sequence, long next) implements LogEvent {}
}
