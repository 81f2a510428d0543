package io.sifr.internal.resources;

import io.sifr.internal.io.PhysicalMemory;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The default size of the block cache: a sixteenth of the memory outside the heap, 4 to 32 MiB, for
 * blocks; and for indexes and filters an eighth of it, but up to 256 MiB and up to a quarter of the
 * heap, which they are on. In a container of 256 MiB, a quarter of it heap, that is 12 and 16 MiB;
 * the rest is for the JVM itself, write buffers and the page cache.
 */
final class BlockCacheSize {
  private static final Logger LOG = LoggerFactory.getLogger(BlockCacheSize.class);

  private static final long SMALLEST = 4 << 20;
  private static final long LARGEST = 32 << 20;
  private static final int SHARE = 16;

  /** Of entries of 100 bytes they take a fortieth of the SST: those of 10 GiB fit. */
  private static final long LARGEST_FOR_METADATA = 256 << 20;

  private static final int METADATA_SHARE = 8;
  private static final int METADATA_SHARE_OF_HEAP = 4;

  /** More than the whole memory divided by this is too much for a cache. */
  private static final int LARGE_SHARE = 4;

  private BlockCacheSize() {}

  /** The size in bytes: that of the options, or the default. */
  static long of(OptionalLong wanted) {
    return of(wanted, PhysicalMemory.bytes(), Runtime.getRuntime().maxMemory());
  }

  /**
   * The same.
   *
   * @param memory memory of the machine or the container, in bytes; empty when unknown
   * @param heap largest size of the heap, in bytes
   */
  static long of(OptionalLong wanted, OptionalLong memory, long heap) {
    if (wanted.isEmpty()) {
      long outside = Math.max(0, memory.orElse(Long.MAX_VALUE) - heap);
      long metadata = Math.min(heap / METADATA_SHARE_OF_HEAP, outside / METADATA_SHARE);
      return Math.max(SMALLEST, Math.min(LARGEST, outside / SHARE))
          + Math.min(LARGEST_FOR_METADATA, metadata);
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
