package io.sifr.internal.resources;

/**
 * The use of a {@link SharedMemory} by all stores together.
 *
 * @param budgetBytes bytes that they may take
 * @param writeBufferBytes bytes of write buffers
 * @param cacheBytes bytes of what the cache keeps
 * @param readAheadBytes bytes that iterators have read ahead
 * @param idleBytes bytes that the pool of memory for blocks has of the system but does not use; of
 *     all stores of the process, whatever memory they share
 */
public record MemoryUse(
    long budgetBytes, long writeBufferBytes, long cacheBytes, long readAheadBytes, long idleBytes) {
  /** Bytes in use, and those idle. */
  public long usedBytes() {
    return writeBufferBytes + cacheBytes + readAheadBytes + idleBytes;
  }
}
