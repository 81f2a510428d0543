package io.sifr.internal.state;

/** The flushes, and compactions, as writers see them. */
public interface Flushes {
  /**
   * Starts flushing: a write buffer has become immutable. Waits for nothing, so it may be called
   * under the write lock.
   */
  void begin();

  /** Waits until all write buffers that are immutable now are flushed. */
  void awaitFlushed(DatabaseHandle database);

  /**
   * Compacts what holds most of a database's range tombstones, and waits for it, until they take no
   * more memory than that, or no more of them can be dropped.
   *
   * @throws io.sifr.error.SifrException when a compaction fails
   */
  void compactTombstones(DatabaseHandle database, long mostBytes);

  /**
   * If the last flush has failed, tries again at once, and waits for it.
   *
   * @throws io.sifr.error.SifrException when it fails again
   */
  void tryNow();

  /** Whether the last flush has failed because the disk was full. */
  boolean lackSpace();

  /**
   * Deletes the files that are only kept for point reads in progress, and waits a little for these:
   * before it is said that the disk is full.
   */
  void reclaimForSpace();

  /** Throws the failure that keeps flushes from running, if there is one. Waits for nothing. */
  void checkCanFlush();
}
