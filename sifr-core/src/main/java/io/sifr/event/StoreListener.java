package io.sifr.event;

/**
 * Is told what happens in the background. Called on the store's own threads (a stall on the
 * writer's), after the fact is durable; what it throws is logged and otherwise ignored. It must be
 * quick, thread-safe, and must not call the store.
 */
public interface StoreListener {
  /** Listens to nothing. */
  StoreListener NONE = new StoreListener() {};

  /** A write buffer became a tree of stage 1. */
  default void flushed(FlushEvent event) {}

  /** The trees of a stage became one tree of the next. */
  default void compacted(CompactionEvent event) {}

  /** A writer was held back because the background work did not keep up. */
  default void stalled(StallEvent event) {}

  /**
   * Background work failed, or an SST could not be opened together with its store. What failed
   * before anything of it was committed, on a full disk or for another reason that a {@link
   * io.sifr.error.StoreIoException} names, is tried again; of several such failures in a row the
   * first is told. After a {@link io.sifr.error.CorruptionException} or an {@link
   * io.sifr.error.UnreadableException} of a merge its stage is merged no more, an unreadable one
   * for ten minutes. After any other failure the store takes no more writes.
   */
  default void failed(FailureEvent event) {}

  /**
   * A flush.
   *
   * @param database name of the database
   * @param entries entries written
   * @param ssts SSTs written
   * @param bytes bytes of those SSTs
   * @param nanos time it took
   */
  record FlushEvent(String database, long entries, int ssts, long bytes, long nanos) {}

  /**
   * A compaction.
   *
   * @param database name of the database
   * @param sourceStage stage the merged trees came from; the target stage when all trees were
   *     merged
   * @param targetStage stage of the tree they became
   * @param inputTrees trees consumed
   * @param inputSsts SSTs consumed, moved ones included
   * @param writtenSsts SSTs written
   * @param writtenBytes bytes of those
   * @param movedSsts SSTs that changed stage by metadata alone
   * @param movedBytes bytes of those
   * @param droppedEntries tombstones and shadowed versions that were not written again
   * @param nanos time it took
   */
  record CompactionEvent(
      String database,
      int sourceStage,
      int targetStage,
      int inputTrees,
      int inputSsts,
      int writtenSsts,
      long writtenBytes,
      int movedSsts,
      long movedBytes,
      long droppedEntries,
      long nanos) {}

  /**
   * A writer was held back.
   *
   * @param database the database whose backlog caused it
   * @param nanos how long
   */
  record StallEvent(String database, long nanos) {}

  /**
   * A failure, see {@link #failed}.
   *
   * @param work what was being done: "flush", "merge", or "open" for an SST
   * @param cause why it failed
   */
  record FailureEvent(String work, Throwable cause) {}
}
