package io.sifr.internal.engine;

import io.sifr.internal.io.CrashPoint;

/** Steps in opening and closing a store, and the last one in dropping a database. */
public enum StoreCrashPoint implements CrashPoint {
  /** The files of a dropped database are retired and wait for their readers. */
  DATABASE_RETIRED,

  /** The open has resumed the manifest, or started a new one; orphaned files still exist. */
  RECOVERY_MANIFEST_STARTED,
  /** Orphaned files are deleted; the log is not replayed. */
  RECOVERY_ORPHANS_DELETED,
  /** An SST that was lost is in its tree again; others may not be. */
  LOST_SST_MADE_AGAIN,
  /** The log of a killed process is durable; nothing of it is in the forests. */
  RECOVERY_LOG_DURABLE,
  /** Some of what was in the log is in the forests. */
  RECOVERY_FLUSHED,
  /** The entries of the log are in the forests or in write buffers; the log still exists. */
  RECOVERY_REPLAYED,
  /** The log is deleted, unless it was closed in order; nothing runs in the background yet. */
  RECOVERY_LOG_DELETED,

  /** A closing store has flushed what is not to stay in the log, and synced the log. */
  CLOSE_FLUSHED,
  /** Nothing runs in the background any more; compactions were stopped. */
  CLOSE_STOPPED,
  /** The last edit is durable; the obsolete part of the log still exists. */
  CLOSE_COMMITTED
}
