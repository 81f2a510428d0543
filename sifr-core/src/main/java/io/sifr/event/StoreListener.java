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
   * SSTs of an event.
   *
   * @param count how many
   * @param bytes bytes of all of them
   */
  record Ssts(int count, long bytes) {}

  /**
   * A flush.
   *
   * @param database name of the database
   * @param entries entries written
   * @param written SSTs written
   * @param nanos time it took
   */
  record FlushEvent(String database, long entries, Ssts written, long nanos) {}

  /**
   * A compaction.
   *
   * @param database name of the database
   * @param inputs what it consumed
   * @param output what became of that
   * @param nanos time it took
   */
  record CompactionEvent(
      String database, CompactionInputs inputs, CompactionOutput output, long nanos) {}

  /**
   * What a compaction consumed.
   *
   * @param stage stage the trees came from; that of the output when all trees were merged
   * @param trees how many trees
   * @param ssts how many SSTs, moved ones included
   */
  record CompactionInputs(int stage, int trees, int ssts) {}

  /**
   * The tree that a compaction made.
   *
   * @param stage stage of the tree
   * @param written SSTs written
   * @param moved SSTs that changed stage by metadata alone
   * @param droppedEntries tombstones and shadowed versions that were not written again
   */
  record CompactionOutput(int stage, Ssts written, Ssts moved, long droppedEntries) {}

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
