package io.sifr.internal.background;

import io.sifr.internal.io.CrashPoint;

/** Steps of flushes and compactions until their inputs are deleted. */
public enum BackgroundCrashPoint implements CrashPoint {
  /** A flush is about to make its first file. */
  FLUSH_BEGUN,
  /** All SSTs of a flush and their names are durable; no edit says so. */
  FLUSH_FILES_DURABLE,
  /** The edit of a flush is durable; readers still see the write buffer. */
  FLUSH_COMMITTED,
  /** Readers see the tree of a flush; the log still holds it too. */
  FLUSH_PUBLISHED,
  /** The log has let go of what was flushed. */
  FLUSH_LOG_RELEASED,

  /** Inputs, snapshots and parts of a merge are chosen; the manifest does not know of it. */
  MERGE_CHOSEN,
  /** The same of the rest of a merge, which the manifest knows from before. */
  MERGE_RESUMED,
  /** The manifest knows of a merge of all trees; readers see them in the stages where they were. */
  MERGE_BEGUN,
  /** An SST of a merge is durable and was read back; its name is not durable. */
  MERGE_OUTPUT_VERIFIED,
  /** The names of the SSTs that are about to be journalled are durable. */
  MERGE_NAMES_DURABLE,
  /** A progress edit is durable; readers still see the inputs. */
  MERGE_PROGRESS_DURABLE,
  /** Readers see the progress; the inputs that were finished are still there. */
  MERGE_PROGRESS_PUBLISHED,
  /** The inputs that were finished wait for their readers. */
  MERGE_INPUTS_RETIRED,
  /** A merge is over: its last edit is durable, published, and its inputs are buried. */
  MERGE_ENDED,
  /** A merge was stopped; what it has written is committed or deleted. */
  MERGE_SUSPENDED,

  /** An SST is to be moved by metadata alone; no edit says so. */
  MOVE_CHOSEN,
  /** The edit that moves SSTs is durable; readers still see them in the inputs. */
  MOVE_DURABLE,
  /** Readers see moved SSTs in the output. */
  MOVE_PUBLISHED,

  /** A file that nobody needs or reads any more is about to be deleted. */
  CLEAN_BEFORE_DELETE,
  /** A file was deleted; the directory was not synced. */
  CLEAN_DELETED
}
