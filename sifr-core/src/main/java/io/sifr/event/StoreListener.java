package io.sifr.event;

import org.jspecify.annotations.Nullable;

/**
 * Is notified of events in the background. Called on the store's own threads (for a stall on the
 * writer's), after the event's result is durable; what it throws is logged and otherwise ignored.
 * It must be quick and thread-safe, and must not call the store.
 */
public interface StoreListener {
  /** Ignores all events. */
  StoreListener NONE = new StoreListener() {};

  /** A write buffer was flushed to a tree of stage 1. */
  default void flushed(FlushEvent event) {}

  /** The trees of a stage were compacted into one tree of the next. */
  default void compacted(CompactionEvent event) {}

  /** A writer was delayed because the background work did not keep up. */
  default void stalled(StallEvent event) {}

  /**
   * Background work failed, or an SST could not be opened, or was found damaged by the check in the
   * background; each SST is reported once, until it can be opened again. Work that failed before
   * anything of it was committed, on a full disk or for another reason that a {@link
   * io.sifr.error.StoreIoException} names, is retried; of consecutive failures of the same kind
   * only the first is reported. After a {@link io.sifr.error.CorruptionException} of a compaction
   * its trees are no longer compacted, after an {@link io.sifr.error.UnreadableException} not for
   * ten minutes. A log in a {@linkplain io.sifr.config.StoreOptions.Builder#fastDirectory fast
   * directory} is replaced by one in the store's. After any other failure the store accepts no more
   * writes.
   */
  default void failed(FailureEvent event) {}

  /**
   * A listener that notifies this one and then another one, also if this one throws: a store has
   * one listener.
   */
  default StoreListener and(StoreListener other) {
    StoreListener first = this;
    return new StoreListener() {
      @Override
      public void flushed(FlushEvent event) {
        try {
          first.flushed(event);
        } finally {
          other.flushed(event);
        }
      }

      @Override
      public void compacted(CompactionEvent event) {
        try {
          first.compacted(event);
        } finally {
          other.compacted(event);
        }
      }

      @Override
      public void stalled(StallEvent event) {
        try {
          first.stalled(event);
        } finally {
          other.stalled(event);
        }
      }

      @Override
      public void failed(FailureEvent event) {
        try {
          first.failed(event);
        } finally {
          other.failed(event);
        }
      }
    };
  }

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
   * @param database name of the database; of an index, {@code index NAME of DATABASE}
   * @param entries entries written
   * @param written SSTs written
   * @param nanos time it took
   */
  record FlushEvent(String database, long entries, Ssts written, long nanos) {}

  /**
   * A compaction.
   *
   * @param database name of the database; of an index, {@code index NAME of DATABASE}
   * @param reason why it ran
   * @param inputs its inputs
   * @param output its output
   * @param nanos time it took
   */
  record CompactionEvent(
      String database,
      CompactionReason reason,
      CompactionInputs inputs,
      CompactionOutput output,
      long nanos) {}

  /**
   * The inputs of a compaction.
   *
   * @param stage the trees' stage; that of the output when all trees were compacted
   * @param trees how many trees
   * @param ssts SSTs of which it compacted something, moved ones included
   * @param keys which of their keys; null if a compaction was resumed of which nothing was left
   */
  record CompactionInputs(int stage, int trees, Ssts ssts, @Nullable Keys keys) {}

  /**
   * The keys of a compaction: all of them, or a part, as a column (MatrixKV, §3.2). Of several
   * parts, those between the first and the last.
   *
   * @param above the key after which they begin; null: they begin with the first of all
   * @param last the last one; null: they have no end
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Keys(byte @Nullable [] above, byte @Nullable [] last) {}

  /**
   * The tree that a compaction wrote.
   *
   * @param stage stage of the tree
   * @param written SSTs written
   * @param moved SSTs that changed stage by metadata alone
   * @param droppedEntries tombstones and shadowed versions that were not written again
   */
  record CompactionOutput(int stage, Ssts written, Ssts moved, long droppedEntries) {}

  /**
   * A delay of a writer.
   *
   * @param database the database whose backlog caused it
   * @param nanos how long
   */
  record StallEvent(String database, long nanos) {}

  /**
   * A failure, see {@link #failed}.
   *
   * @param work what was being done: "flush", "compaction", "log", or "open" for an SST
   * @param cause why it failed
   */
  record FailureEvent(String work, Throwable cause) {}
}
