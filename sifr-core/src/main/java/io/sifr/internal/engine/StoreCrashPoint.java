package io.sifr.internal.engine;

import io.sifr.internal.io.CrashPoint;

/** Steps of opening and closing a store, and the last one of dropping a database. */
public enum StoreCrashPoint implements CrashPoint {
  /** The files of a dropped database wait for their readers. */
  DATABASE_RETIRED,

  /**
   * Opening has resumed the manifest that was there, or begun a new one; files that nothing refers
   * to are still there.
   */
  RECOVERY_MANIFEST_STARTED,
  /** Files that nothing refers to are gone; the log is not replayed. */
  RECOVERY_ORPHANS_DELETED,
  /** What a killed process left of the log is durable; nothing of it is in the forests. */
  RECOVERY_LOG_DURABLE,
  /** Some of what was in the log is in the forests. */
  RECOVERY_FLUSHED,
  /** What was in the log is in the forests; the log is still there. */
  RECOVERY_REPLAYED,
  /** The log is gone, unless it was closed in order; nothing runs in the background yet. */
  RECOVERY_LOG_DELETED,

  /** A store that closes has flushed what is not to stay in the log, and synced the log. */
  CLOSE_FLUSHED,
  /** Nothing runs in the background any more; merges were stopped where they were. */
  CLOSE_STOPPED,
  /** The last edit is durable; the part of the log that nobody needs is still there. */
  CLOSE_COMMITTED
}
