package io.sifr.internal.engine;

import io.sifr.internal.io.PhysicalMemory;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large the block cache is where nobody says: one part in sixteen of the memory that the heap
 * leaves, 4 to 32 MiB. In a container of 256 MiB, a quarter of it heap, that is 12 MiB; the rest is
 * for the JVM itself, write buffers and what the page cache must hold.
 */
final class BlockCacheSize {
  private static final Logger LOG = LoggerFactory.getLogger(BlockCacheSize.class);

  private static final long SMALLEST = 4 << 20;
  private static final long LARGEST = 32 << 20;
  private static final int SHARE = 16;

  /** One part in so many of the whole memory is much for a cache. */
  private static final int LARGE_SHARE = 4;

  private BlockCacheSize() {}

  /** The size in bytes, given what the options say, if anything. */
  static long of(OptionalLong wanted) {
    return of(wanted, PhysicalMemory.bytes(), PhysicalMemory.besideTheHeap());
  }

  /**
   * The same.
   *
   * @param memory bytes of the machine or the container; empty when that cannot be found out
   * @param besideTheHeap bytes of it that the heap leaves
   */
  static long of(OptionalLong wanted, OptionalLong memory, long besideTheHeap) {
    if (wanted.isEmpty()) {
      return memory.isEmpty()
          ? LARGEST
          : Math.max(SMALLEST, Math.min(LARGEST, besideTheHeap / SHARE));
    }
    long bytes = wanted.getAsLong();
    if (isLarge(bytes, memory)) {
      LOG.warn(
          "blockCacheBytes is {}, more than a quarter of the memory there is for the process, {}",
          bytes,
          memory.getAsLong());
    }
    return bytes;
  }

  static boolean isLarge(long bytes, OptionalLong memory) {
    return memory.isPresent() && bytes > memory.getAsLong() / LARGE_SHARE;
  }
}
