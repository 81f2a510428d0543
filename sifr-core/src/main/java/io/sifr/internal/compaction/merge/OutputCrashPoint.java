package io.sifr.internal.compaction.merge;

import io.sifr.internal.io.CrashPoint;

/** Steps in writing the SSTs of a flush or a compaction. */
public enum OutputCrashPoint implements CrashPoint {
  /** All SSTs of a flush are written and synced; their names are not durable. */
  FLUSH_SSTS_SYNCED,

  /** An SST of a compaction is written and synced; it was not read back. */
  COMPACTION_OUTPUT_SYNCED
}
