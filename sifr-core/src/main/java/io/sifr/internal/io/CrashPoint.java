package io.sifr.internal.io;

/**
 * Boundaries between the steps of work that a crash must not harm. The work says when it passes one
 * ({@link StoreFileSystem#reached}); a test's file system can stop the world there.
 */
public enum CrashPoint {
  /** A flush is about to make its first file. */
  FLUSH_BEGUN,
  /** All SSTs of a flush are written and synced; their names are not durable. */
  FLUSH_SSTS_SYNCED,
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
  /** An SST of a merge is written and synced; it was not read back. */
  MERGE_OUTPUT_SYNCED,
  /** An SST of a merge is durable and was read back; its name is not durable. */
  MERGE_OUTPUT_VERIFIED,
  /** The names of the SSTs that are about to be journalled are durable. */
  MERGE_NAMES_DURABLE,
  /** A progress edit is durable; readers still see the inputs. */
  MERGE_PROGRESS_DURABLE,
  /** Readers see the progress; the inputs that were finished are still there. */
  MERGE_PROGRESS_PUBLISHED,
  /** The inputs that were finished wait for their readers. */
  MERGE_INPUTS_BURIED,
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
  CLEAN_DELETED,

  /** The bits of a filter are in the filter file, the header that says so is not. */
  FILTER_BITS_WRITTEN,
  /** A filter is in the filter file, not durable; no forest holds its SST. */
  FILTER_WRITTEN,

  /**
   * The manifest says where the log begins, of one that was closed no longer where it ends; nothing
   * is written to it.
   */
  LOG_STARTED,
  /** A new log segment is filled and synced; it does not have its name. */
  LOG_SEGMENT_FILLED,
  /** A segment that is used again has its new header, and its old name. */
  LOG_SEGMENT_RENUMBERED,
  /** A log segment is ready to be written, under its name. */
  LOG_SEGMENT_PREPARED,
  /** The last record of a segment names the next one; nobody sees that yet. */
  LOG_SEALED,
  /** The log has gone on to another segment; nothing is written there. */
  LOG_ROLLED,

  /** A new manifest is written, synced and read back; CURRENT names the old one. */
  MANIFEST_WRITTEN,
  /** CURRENT names the new manifest; the old one is still there. */
  MANIFEST_SWAPPED,
  /** The old manifests, and what a crash left of new ones, are deleted. */
  MANIFEST_OLD_DELETED,

  /** A database is about to be created. */
  DATABASE_CREATE_BEGUN,
  /** The edit that creates a database is durable. */
  DATABASE_CREATED,
  /** No write to a database that is dropped is under way; the manifest still knows it. */
  DATABASE_DROP_BEGUN,
  /** The edit that drops a database is durable; its files are still there. */
  DATABASE_DROPPED,
  /** The files of a dropped database wait for their readers. */
  DATABASE_BURIED,

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
  CLOSE_COMMITTED,
  /** What nobody needs of the log is gone; the directory is still locked. */
  CLOSE_LOG_DELETED
}
