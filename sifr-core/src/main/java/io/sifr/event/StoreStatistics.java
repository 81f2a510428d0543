package io.sifr.event;

/**
 * What a store has done and holds, in groups. Byte counts of writes and compactions are sums over
 * the life of the store, they outlive the process; latencies and counts of reads and filters begin
 * when it is opened; memory, space and contents are those of now.
 *
 * @param writes what was given to the store, and became log and SSTs
 * @param compactions what was rewritten
 * @param reads what was searched and read
 * @param filters how useful the filters of SSTs are
 * @param memory what is held in memory beside the heap's small objects
 * @param space what is on disk
 * @param contents how many of everything there are
 */
public record StoreStatistics(
    Writes writes,
    Compactions compactions,
    Reads reads,
    Filters filters,
    Memory memory,
    Space space,
    Contents contents) {

  /**
   * Writes.
   *
   * @param userBytes bytes of keys and values given to put and delete
   * @param logBytes bytes appended to the log
   * @param flushBytes bytes of SSTs written by flushes
   * @param stallMillis milliseconds writers were held back
   * @param latencies of put, delete and write
   */
  public record Writes(
      long userBytes, long logBytes, long flushBytes, long stallMillis, LatencySummary latencies) {}

  /**
   * Compactions.
   *
   * @param writtenBytes bytes of SSTs they wrote
   * @param movedBytes bytes of SSTs that changed stage by metadata alone
   * @param running those that run at this moment
   * @param cleaningThreshold SSTs one may write before it deletes inputs, as the options say; 0
   *     without early cleaning
   * @param currentCleaningThreshold the same at this moment: less when the disk is nearly full
   */
  public record Compactions(
      long writtenBytes,
      long movedBytes,
      int running,
      int cleaningThreshold,
      int currentCleaningThreshold) {}

  /**
   * Reads.
   *
   * @param candidates SSTs that were searched for single keys
   * @param handOffs searches, or parts of them, that were handed to a search thread
   * @param uselessReads SSTs that were searched with I/O and whose answer turned out not to be
   *     needed: what reading ahead costs
   * @param fileReads reads of SSTs by position, those of compactions too; what is read through
   *     mappings is not counted
   * @param fileBytes bytes of these
   * @param latencies of get
   */
  public record Reads(
      long candidates,
      long handOffs,
      long uselessReads,
      long fileReads,
      long fileBytes,
      LatencySummary latencies) {}

  /**
   * Filters. Both counts are approximate, a few may be missing.
   *
   * @param rejects how often a filter has said that its SST does not hold a key, so that no block
   *     had to be looked at
   * @param falsePositives how often a filter has said that its SST may hold a key, and it did not,
   *     or only newer versions than the reader may see
   */
  public record Filters(long rejects, long falsePositives) {}

  /**
   * Memory.
   *
   * @param writeBufferBytes bytes of write buffers
   * @param blockCacheBytes bytes of blocks in the block cache
   * @param filterBytes bytes of filters of SSTs
   */
  public record Memory(long writeBufferBytes, long blockCacheBytes, long filterBytes) {}

  /**
   * Space.
   *
   * @param diskBytes bytes of all files of the store
   * @param liveBytes bytes of the SSTs that are part of a forest
   */
  public record Space(long diskBytes, long liveBytes) {}

  /**
   * Contents.
   *
   * @param databases number of databases
   * @param stages stages of the deepest forest
   * @param trees trees of all forests
   * @param ssts SSTs of all forests
   * @param unusableSsts SSTs among them that could not be opened when that was tried last: their
   *     data cannot be read
   */
  public record Contents(int databases, int stages, int trees, int ssts, int unusableSsts) {}

  /** SST bytes written per user byte: flushes and compactions; 0 before anything was written. */
  public double writeAmplification() {
    return perUserByte(writes.flushBytes + compactions.writtenBytes);
  }

  /** The same with the bytes of the log. */
  public double writeAmplificationWithLog() {
    return perUserByte(writes.flushBytes + compactions.writtenBytes + writes.logBytes);
  }

  private double perUserByte(long bytes) {
    return writes.userBytes == 0 ? 0 : (double) bytes / writes.userBytes;
  }
}
