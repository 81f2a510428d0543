package io.sifr.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a store has done and what it holds, in groups. Byte counts of writes and compactions are
 * sums over the life of the store and outlive the process; latencies and counts of reads and
 * filters, and other counts, begin when it is opened; memory, space, contents and backlog are
 * current.
 *
 * @param writes bytes written by users, and to the log and SSTs
 * @param compactions what was rewritten
 * @param reads what was searched and read
 * @param filters how useful the filters of SSTs are
 * @param memory memory used, without small objects on the heap
 * @param space space on disk
 * @param contents numbers of databases, stages, trees and SSTs
 * @param backlog what is still to be done
 * @param retainedLog what is there for readers of changes
 */
public record StoreStatistics(
    Writes writes,
    Compactions compactions,
    Reads reads,
    Filters filters,
    Memory memory,
    Space space,
    Contents contents,
    Backlog backlog,
    RetainedLog retainedLog) {

  /**
   * Writes.
   *
   * @param userBytes bytes of keys and values passed to put and delete, and of bounds to
   *     deleteRange
   * @param logBytes bytes appended to the log
   * @param flushBytes bytes of SSTs written by flushes
   * @param flushes write buffers that were flushed since the store was opened
   * @param stalls how often writers were delayed since the store was opened
   * @param stallMillis milliseconds for which writers were delayed
   * @param refused writes that were refused since the store was opened, because they would have
   *     been delayed for longer than {@link io.sifr.config.WriteOptions#maxStall}
   * @param latencies of put, delete, deleteRange and write
   */
  public record Writes(
      long userBytes,
      long logBytes,
      long flushBytes,
      long flushes,
      long stalls,
      long stallMillis,
      long refused,
      LatencySummary latencies) {}

  /**
   * Compactions.
   *
   * @param writtenBytes bytes of SSTs they wrote
   * @param movedBytes bytes of SSTs that changed stage by metadata alone
   * @param ended how many have ended since the store was opened, for each reason
   * @param running number that run at this moment
   * @param stepBackMillis milliseconds for which threads paused since the store was opened, because
   *     compactions made reads slow
   * @param rateLimitMillis milliseconds for which threads paused since the store was opened,
   *     because compactions had written as much as {@code mergeBytesPerSecond} allows
   * @param cleaningThresholdBytes bytes of SSTs one may write before it deletes inputs, according
   *     to the options; 0 without early cleaning
   * @param currentCleaningThresholdBytes the same at this moment: lower when the disk is nearly
   *     full
   */
  public record Compactions(
      long writtenBytes,
      long movedBytes,
      Map<CompactionReason, Long> ended,
      int running,
      long stepBackMillis,
      long rateLimitMillis,
      long cleaningThresholdBytes,
      long currentCleaningThresholdBytes) {
    /** A copy that cannot be changed. */
    public Compactions {
      ended = Collections.unmodifiableMap(new LinkedHashMap<>(ended));
    }
  }

  /**
   * Reads.
   *
   * @param candidates SSTs that were searched for single keys
   * @param handOffs searches, or parts of them, that were handed to a search thread
   * @param uselessReads SSTs that were searched with I/O and whose answer was not needed: the cost
   *     of searching ahead
   * @param fileReads reads of SSTs by position, including those of compactions and of the check in
   *     the background; reads through mappings are not counted
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
   * Filters. Both counts are approximate; a few may be missing.
   *
   * @param rejects how often a filter ruled out that its SST holds a key, so that no block had to
   *     be read
   * @param falsePositives how often a filter said that its SST may hold a key, and it did not, or
   *     only versions too new for the reader
   */
  public record Filters(long rejects, long falsePositives) {}

  /**
   * Memory. What is of this store comes first; the budget may be shared with others.
   *
   * @param writeBufferBytes bytes of memory that the write buffers of all databases take
   * @param blockCacheBytes bytes of all that the block cache keeps
   * @param indexBytes bytes of indexes of SSTs among them
   * @param filterBytes bytes of filters of SSTs among them
   * @param rangeTombstoneBytes bytes of range tombstones, those of the write buffers among them,
   *     and of SSTs that were read since the store was opened
   * @param readAheadBytes bytes that cursors and compactions have read ahead
   * @param budgetBytes bytes of memory for all these, of all stores that share it
   * @param budgetUsedBytes bytes of it that these stores use, and the idle ones
   * @param idleBytes bytes that the process holds for blocks without using them: memory is
   *     requested by the megabyte
   */
  public record Memory(
      long writeBufferBytes,
      long blockCacheBytes,
      long indexBytes,
      long filterBytes,
      long rangeTombstoneBytes,
      long readAheadBytes,
      long budgetBytes,
      long budgetUsedBytes,
      long idleBytes) {}

  /**
   * Space.
   *
   * @param diskBytes bytes of all files of the store
   * @param liveBytes bytes of the SSTs that are part of a forest
   * @param rawBytes bytes of the keys and values in them, obsolete versions included: much more
   *     than {@code liveBytes} if they are compressed
   * @param estimatedDataBytes bytes of those that would be left if the trees of each database were
   *     merged; the rest is what was overwritten and deleted. Estimated from samples of the keys
   */
  public record Space(long diskBytes, long liveBytes, long rawBytes, long estimatedDataBytes) {
    /**
     * Bytes of SSTs per byte of data, as {@code maxSpaceAmplification} bounds it; 1 without any.
     */
    public double amplification() {
      return liveBytes == 0 ? 1 : (double) liveBytes / Math.max(1, estimatedDataBytes);
    }
  }

  /**
   * Contents.
   *
   * @param databases number of databases
   * @param stages stages of the deepest forest
   * @param trees trees of all forests
   * @param ssts SSTs of all forests
   * @param rangeTombstones range tombstones of all write buffers and SSTs; where they overlap, or
   *     lie in several SSTs, each part counts
   * @param unusableSsts SSTs among them that could not be opened at the last attempt, or of which a
   *     part was found damaged in the background: their data cannot be read, or not all of it
   * @param uncheckedSsts SSTs that were there when the store was opened and whose indexes and
   *     filters are still to be checked in the background
   */
  public record Contents(
      int databases,
      int stages,
      int trees,
      int ssts,
      long rangeTombstones,
      int unusableSsts,
      int uncheckedSsts) {}

  /**
   * What is still to be done.
   *
   * @param fullWriteBuffers write buffers that wait for their flush, or are being flushed
   * @param mergeDebt how far compactions are behind in the database where they are most: 0 if they
   *     are not; writers are slowed from then on, to 2 MB/s at 1, and with its square beyond
   */
  public record Backlog(int fullWriteBuffers, double mergeDebt) {}

  /**
   * What is there for readers of changes.
   *
   * @param bytes bytes of log segments that no recovery needs
   * @param segments number of these
   * @param oldestSequence the first sequence number from which on all changes are there; 0 if the
   *     log is not retained
   * @param lastSequence the last sequence number of the store
   */
  public record RetainedLog(long bytes, int segments, long oldestSequence, long lastSequence) {}

  /** SST bytes written per user byte: flushes and compactions; 0 before anything was written. */
  public double writeAmplification() {
    return perUserByte(writes.flushBytes + compactions.writtenBytes);
  }

  /** As above, including the bytes of the log. */
  public double writeAmplificationWithLog() {
    return perUserByte(writes.flushBytes + compactions.writtenBytes + writes.logBytes);
  }

  private double perUserByte(long bytes) {
    return writes.userBytes == 0 ? 0 : (double) bytes / writes.userBytes;
  }
}
