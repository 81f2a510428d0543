package io.sifr.jmx;

import java.util.Map;

/**
 * What JMX shows of an open store: the figures of its {@link io.sifr.event.StoreStatistics}, at
 * most a second old, and some operations. An operation returns when it is done, and throws what the
 * method of {@link io.sifr.Store} of the same name throws. Thread-safe.
 */
public interface StoreMXBean {
  /** The directory of the store. */
  String getDirectory();

  /** Names of the databases, sorted. */
  String[] getDatabaseNames();

  /** Merges that have ended since the store was opened, by reason. */
  Map<String, Long> getMerges();

  /** Bytes of keys and values passed to puts and deletes. */
  long getUserBytes();

  /** Bytes appended to the log. */
  long getLogBytes();

  /** Bytes of SSTs written by flushes. */
  long getFlushBytes();

  /** Write buffers flushed since the store was opened. */
  long getFlushes();

  /** How often writers were delayed since the store was opened. */
  long getStalls();

  /** Milliseconds for which writers were delayed. */
  long getStallMillis();

  /** Writes refused since the store was opened, because of {@code maxStall}. */
  long getRefusedWrites();

  /** Median of puts and other writes since the store was opened, in microseconds. */
  double getPutMicrosP50();

  /** Their 99th percentile. */
  double getPutMicrosP99();

  /** The longest that was measured. */
  double getPutMicrosMax();

  /** Median of gets since the store was opened, in microseconds. */
  double getGetMicrosP50();

  /** Their 99th percentile. */
  double getGetMicrosP99();

  /** The longest that was measured. */
  double getGetMicrosMax();

  /** Bytes of SSTs written by merges. */
  long getMergeBytes();

  /** Bytes of SSTs that merges moved without rewriting them. */
  long getMovedBytes();

  /** Merges that run. */
  int getRunningMerges();

  /** Milliseconds for which threads paused because merges made reads slow. */
  long getStepBackMillis();

  /** Milliseconds for which threads paused because of {@code mergeBytesPerSecond}. */
  long getRateLimitMillis();

  /** SSTs searched for single keys since the store was opened. */
  long getSearchedSsts();

  /** Reads of SSTs by position since the store was opened. */
  long getFileReads();

  /** Bytes of these. */
  long getFileReadBytes();

  /** How often a filter spared a search. */
  long getFilterRejects();

  /** How often it did not, though there was nothing. */
  long getFilterFalsePositives();

  /** Memory of write buffers. */
  long getWriteBufferBytes();

  /** Memory of the block cache, indexes and filters included. */
  long getBlockCacheBytes();

  /** Memory of indexes. */
  long getIndexBytes();

  /** Memory of filters. */
  long getFilterBytes();

  /** Memory of range tombstones. */
  long getRangeTombstoneBytes();

  /** Memory of what was read ahead. */
  long getReadAheadBytes();

  /** Memory that all stores of the same resources may take. */
  long getBudgetBytes();

  /** Memory that these stores take of it. */
  long getBudgetUsedBytes();

  /** Bytes of all files of the store. */
  long getDiskBytes();

  /** Bytes of log that are kept for readers of changes only. */
  long getRetainedLogBytes();

  /** The last sequence number. */
  long getLastSequence();

  /** Bytes of SSTs that hold data. */
  long getLiveBytes();

  /** Bytes of keys and values in them before they were compressed. */
  long getRawBytes();

  /** Bytes of SSTs without what is overwritten and deleted, estimated. */
  long getEstimatedDataBytes();

  /** Bytes of SSTs per byte of data, estimated. */
  double getSpaceAmplification();

  /** Bytes of SSTs written per byte of the user. */
  double getWriteAmplification();

  /** Databases. */
  int getDatabases();

  /** Stages of the deepest forest. */
  int getStages();

  /** Trees of all forests. */
  int getTrees();

  /** SSTs of all forests. */
  int getSsts();

  /** Range tombstones of write buffers and SSTs. */
  long getRangeTombstones();

  /** SSTs that could not be opened or are damaged. */
  int getUnusableSsts();

  /** SSTs still to be checked since the store was opened. */
  int getUncheckedSsts();

  /** Write buffers that wait for their flush. */
  int getFullWriteBuffers();

  /** How far merges are behind; above 0 writers are slowed. */
  double getMergeDebt();

  /** Writes all write buffers to disk. */
  void flush();

  /**
   * Merges all trees of a database into one, which takes as long as rewriting it.
   *
   * @param database its name
   */
  void compact(String database);

  /** Pauses merges until {@link #resumeMerges}, or until the store is closed. */
  void pauseMerges();

  /** Resumes merges. */
  void resumeMerges();
}
