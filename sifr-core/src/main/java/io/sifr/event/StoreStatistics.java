package io.sifr.event;

/**
 * What a store has done and holds. Byte counts are sums over the life of the store, they outlive
 * the process; latencies and counts of searches begin when it is opened.
 *
 * @param userBytes bytes of keys and values given to put and delete
 * @param walBytes bytes appended to the log
 * @param flushBytes bytes of SSTs written by flushes
 * @param mergeBytes bytes of SSTs written by merges
 * @param movedBytes bytes of SSTs that changed stage by metadata alone
 * @param diskBytes bytes of all files of the store now
 * @param liveBytes bytes of the SSTs that are part of a forest now
 * @param stallMillis milliseconds writers were held back
 * @param memtableBytes bytes of write buffers in memory now
 * @param databases number of databases
 * @param stages stages of the deepest forest
 * @param trees trees of all forests
 * @param ssts SSTs of all forests
 * @param unusableSsts SSTs among them that could not be opened when that was tried last: their data
 *     cannot be read
 * @param runningMerges merges that run at this moment
 * @param cleaningThreshold SSTs a merge may write before it deletes inputs, as the options say; 0
 *     without early cleaning
 * @param currentCleaningThreshold the same at this moment: less when the disk is nearly full
 * @param candidates SSTs that were searched for single keys
 * @param handOffs searches, or parts of them, that were handed to a search thread
 * @param uselessReads SSTs that were searched with I/O and whose answer turned out not to be
 *     needed: what reading ahead costs
 * @param reads reads of SSTs by position since the store was opened, those of merges too; what is
 *     read through mappings is not counted
 * @param readBytes bytes of these
 * @param cachedBytes bytes of blocks in the block cache now
 * @param filterBytes bytes of filters of SSTs in memory now
 * @param filterRejects how often, since the store was opened, a filter has said that its SST does
 *     not hold a key, so that no block had to be looked at; about, a few may not be counted
 * @param filterFalsePositives how often, since then, a filter has said that its SST may hold a key,
 *     and it did not, or only newer versions than the reader may see; about
 * @param puts latencies of put, delete and write
 * @param gets latencies of get
 */
public record StoreStatistics(
    long userBytes,
    long walBytes,
    long flushBytes,
    long mergeBytes,
    long movedBytes,
    long diskBytes,
    long liveBytes,
    long stallMillis,
    long memtableBytes,
    int databases,
    int stages,
    int trees,
    int ssts,
    int unusableSsts,
    int runningMerges,
    int cleaningThreshold,
    int currentCleaningThreshold,
    long candidates,
    long handOffs,
    long uselessReads,
    long reads,
    long readBytes,
    long cachedBytes,
    long filterBytes,
    long filterRejects,
    long filterFalsePositives,
    LatencySummary puts,
    LatencySummary gets) {

  /** SST bytes written per user byte: flushes and merges; 0 before anything was written. */
  public double writeAmplification() {
    return userBytes == 0 ? 0 : (double) (flushBytes + mergeBytes) / userBytes;
  }

  /** The same with the bytes of the log. */
  public double writeAmplificationWithLog() {
    return userBytes == 0 ? 0 : (double) (flushBytes + mergeBytes + walBytes) / userBytes;
  }
}
