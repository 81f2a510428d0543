package io.sifr.event;

import java.nio.file.Path;
import java.util.List;

/**
 * The use of shared resources by their stores, at this moment.
 *
 * @param budgetBytes bytes of memory that they may take together
 * @param used what they take of it
 * @param keptLogBytes bytes of log segments on disk that they keep for reuse
 * @param stores the share of each, in the order in which they were opened
 */
public record ResourcesStatistics(
    long budgetBytes, Memory used, long keptLogBytes, List<Share> stores) {

  /**
   * Memory, by what it is used for.
   *
   * @param writeBufferBytes bytes of write buffers
   * @param blockCacheBytes bytes of what is kept of SSTs: blocks, indexes, filters
   * @param readAheadBytes bytes that cursors and compactions have read ahead
   * @param idleBytes bytes that the process holds for blocks without using them; 0 in the share of
   *     a store
   */
  public record Memory(
      long writeBufferBytes, long blockCacheBytes, long readAheadBytes, long idleBytes) {
    /** All of it. */
    public long bytes() {
      return writeBufferBytes + blockCacheBytes + readAheadBytes + idleBytes;
    }
  }

  /**
   * The share of a store.
   *
   * @param directory the directory of the store, as a real path
   * @param used the memory that it takes
   */
  public record Share(Path directory, Memory used) {}
}
