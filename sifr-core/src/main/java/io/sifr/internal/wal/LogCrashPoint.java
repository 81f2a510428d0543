package io.sifr.internal.wal;

import io.sifr.internal.io.CrashPoint;

/** Steps of the log from one segment to the next. */
public enum LogCrashPoint implements CrashPoint {
  /** A new log segment is filled and synced; it does not have its name. */
  LOG_SEGMENT_FILLED,
  /** A segment that is used again has its new header, and its old name. */
  LOG_SEGMENT_RENUMBERED,
  /** A log segment is ready to be written, under its name. */
  LOG_SEGMENT_PREPARED,
  /** The last record of a segment names the next one; the writer has not switched yet. */
  LOG_SEALED,
  /** The log has switched to another segment; nothing is written there. */
  LOG_ROLLED
}
