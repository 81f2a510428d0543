package io.sifr.internal.background;

import io.sifr.internal.io.CrashPoint;

/** Steps of flushes and compactions until their inputs are deleted. */
public enum BackgroundCrashPoint implements CrashPoint {
  /** A flush is about to create its first file. */
  FLUSH_BEGUN,
  /** All SSTs of a flush and their names are durable; the edit is not. */
  FLUSH_FILES_DURABLE,
  /** The edit of a flush is durable; readers still see the write buffer. */
  FLUSH_COMMITTED,
  /** Readers see the tree of a flush; the log still holds its data too. */
  FLUSH_PUBLISHED,
  /** The log has released what was flushed. */
  FLUSH_LOG_RELEASED,

  /** All files of an ingest and their names are durable; the edit is not. */
  INGEST_FILES_DURABLE,
  /** The edit of an ingest is durable; readers do not see it yet. */
  INGEST_COMMITTED,
  /** The trees of an ingest are in the views; their sequence number is not visible yet. */
  INGEST_PUBLISHED,

  /** Inputs, snapshots and parts of a compaction are chosen; nothing of it is in the manifest. */
  COMPACTION_CHOSEN,
  /** As above for the remainder of a compaction that the manifest has already. */
  COMPACTION_RESUMED,
  /**
   * The beginning of a compaction, or the move of all trees into one stage before it, is durable;
   * readers do not see it yet.
   */
  COMPACTION_BEGUN,
  /** An SST of a compaction is durable and was read back; its name is not durable. */
  COMPACTION_OUTPUT_VERIFIED,
  /** The names of the SSTs that are about to be committed are durable. */
  COMPACTION_NAMES_DURABLE,
  /** A progress edit is durable; readers still see the inputs. */
  COMPACTION_PROGRESS_DURABLE,
  /** Readers see the progress; the finished inputs still exist. */
  COMPACTION_PROGRESS_PUBLISHED,
  /** The finished inputs are retired and wait for their readers. */
  COMPACTION_INPUTS_RETIRED,
  /** A compaction is over: its last edit is durable and published, and its inputs are retired. */
  COMPACTION_ENDED,
  /** A compaction was stopped; what it has written is committed or deleted. */
  COMPACTION_SUSPENDED,

  /** An SST is to be moved by metadata alone; the edit is not written. */
  MOVE_CHOSEN,
  /** The edit that moves SSTs is durable; readers still see them in the inputs. */
  MOVE_DURABLE,
  /** Readers see moved SSTs in the output. */
  MOVE_PUBLISHED,

  /** An obsolete file that is no longer read is about to be deleted. */
  CLEAN_BEFORE_DELETE,
  /** A file was deleted; the directory was not synced. */
  CLEAN_DELETED
}
