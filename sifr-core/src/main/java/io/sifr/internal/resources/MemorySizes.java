package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.io.PhysicalMemory;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much memory there is, and how much of it each use may take at most. Of the heap, write
 * buffers take at most a quarter, and indexes and filters as much.
 *
 * <p>If no budget is set, it is the sum of what the uses are given by default:
 *
 * <ul>
 *   <li>for blocks a sixteenth of the memory outside the heap, 4 to 32 MiB;
 *   <li>for indexes and filters an eighth of it, up to 1 GiB and up to a quarter of the heap; of
 *       what they leave, blocks take up to 256 MiB more;
 *   <li>for reading ahead another sixteenth, 1 to 64 MiB, but see below;
 *   <li>for write buffers a quarter of the heap.
 * </ul>
 *
 * <p>In a container of 256 MiB, a quarter of it heap, that is 12, 16, 4 and 16 MiB; the others are
 * for the JVM itself and the page cache. Whatever is set: of the memory that the JVM allows off the
 * heap, which is as much as the heap unless {@code MaxDirectMemorySize} says otherwise, blocks take
 * at most half, and read-ahead at most a sixteenth; and of the memory there is, blocks take at most
 * what the heap and the JVM itself leave, else the system would kill the process.
 *
 * @param budget bytes of all uses together
 * @param cache bytes that the cache may take if there is nothing else
 * @param cacheOnHeap bytes of the cache that may be on the heap
 * @param cacheOffHeap bytes of the cache that may be off the heap
 * @param memtables bytes of write buffers
 * @param readAhead bytes that iterators may read ahead
 */
record MemorySizes(
    long budget, long cache, long cacheOnHeap, long cacheOffHeap, long memtables, long readAhead) {
  private static final Logger LOG = LoggerFactory.getLogger(MemorySizes.class);

  private static final long LEAST_FOR_BLOCKS = 4 << 20;
  private static final long MOST_FOR_BLOCKS = 32 << 20;
  private static final int SHARE_FOR_BLOCKS = 16;

  /**
   * Of entries of 100 bytes they take a fortieth of the SST, of entries of 1 KiB a hundredth: those
   * of 40 and of 100 GiB fit.
   */
  private static final long MOST_FOR_METADATA = 1 << 30;

  /** What blocks may take of memory that indexes and filters do not need. */
  private static final long MOST_UNUSED_FOR_BLOCKS = 256 << 20;

  private static final int SHARE_FOR_METADATA = 8;

  private static final long LEAST_FOR_READ_AHEAD = 1 << 20;
  private static final long MOST_FOR_READ_AHEAD = 64 << 20;
  private static final int SHARE_FOR_READ_AHEAD = 16;

  /** Of a budget that is set. */
  private static final int BUDGET_SHARE_FOR_READ_AHEAD = 8;

  private static final int BUDGET_SHARE_FOR_MEMTABLES = 2;

  private static final int HEAP_SHARE_FOR_METADATA = 4;
  private static final int HEAP_SHARE_FOR_MEMTABLES = 4;

  /** A block off the heap needs objects of some 350 bytes: a sixth of the heap for so many. */
  private static final int OFF_HEAP_PER_HEAP = 2;

  /** Of the memory that the JVM allows off the heap; others need some, too. */
  private static final int DIRECT_SHARE_FOR_CACHE = 2;

  private static final int DIRECT_SHARE_FOR_READ_AHEAD = 16;

  /**
   * For the JVM's compilers, which take 60 MiB at times, its classes and code, 50 MiB, pages of its
   * own files, 20 MiB, and for reading ahead and buffers of writers, 14 MiB.
   */
  private static final long FOR_THE_JVM = 144 << 20;

  /** More than the whole memory divided by this is too much for a cache. */
  private static final int LARGE_CACHE_SHARE = 4;

  private static final int LARGE_BUDGET_SHARE = 2;

  /**
   * A process, with what bounds its memory, in bytes.
   *
   * @param memory memory of the machine or the container; empty when unknown
   * @param heap largest size of the heap
   * @param direct memory that the JVM allows off the heap
   */
  record Bounds(OptionalLong memory, long heap, long direct) {
    static Bounds ofThisProcess() {
      return new Bounds(
          PhysicalMemory.bytes(), Runtime.getRuntime().maxMemory(), BlockMemory.bytesAllowed());
    }

    long outsideTheHeap() {
      return Math.max(0, memory.orElse(Long.MAX_VALUE) - heap);
    }

    long leftForBlocks() {
      return Math.max(LEAST_FOR_BLOCKS, outsideTheHeap() - FOR_THE_JVM);
    }
  }

  /** Those of the options in this process. */
  static MemorySizes of(StoreOptions options) {
    Bounds bounds = Bounds.ofThisProcess();
    OptionalLong memory = bounds.memory();
    warnIfLarge("memoryBudgetBytes", options.memoryBudgetBytes(), memory, LARGE_BUDGET_SHARE);
    warnIfLarge("blockCacheBytes", options.blockCacheBytes(), memory, LARGE_CACHE_SHARE);
    MemorySizes sizes = of(options, bounds);
    options.blockCacheBytes().ifPresent(sizes::warnIfTooLarge);
    return sizes;
  }

  private void warnIfTooLarge(long cacheBytes) {
    if (mostCached() < Math.min(cacheBytes, budget)) {
      LOG.warn(
          "blockCacheBytes is {}; heap and memory of the process allow for {}",
          cacheBytes,
          mostCached());
    }
  }

  /** Bytes that the cache takes at most: less than it may, where heap and memory are small. */
  long mostCached() {
    return Math.min(cache, cacheOnHeap + cacheOffHeap);
  }

  /** Those of the options in some process. */
  static MemorySizes of(StoreOptions options, Bounds bounds) {
    long heap = bounds.heap();
    long outside = bounds.outsideTheHeap();
    long mostReadAhead =
        Math.min(MOST_FOR_READ_AHEAD, bounds.direct() / DIRECT_SHARE_FOR_READ_AHEAD);
    OptionalLong budget = options.memoryBudgetBytes();
    if (budget.isPresent()) {
      long all = budget.getAsLong();
      return of(
          all,
          Math.min(all, options.blockCacheBytes().orElse(all)),
          Math.min(
              all,
              options
                  .totalWriteBufferBytes()
                  .orElse(
                      Math.min(all / BUDGET_SHARE_FOR_MEMTABLES, heap / HEAP_SHARE_FOR_MEMTABLES))),
          Math.min(mostReadAhead, all / BUDGET_SHARE_FOR_READ_AHEAD),
          bounds);
    }
    long cache = options.blockCacheBytes().orElse(defaultCache(outside, heap));
    long memtables = options.totalWriteBufferBytes().orElse(heap / HEAP_SHARE_FOR_MEMTABLES);
    long readAhead = within(LEAST_FOR_READ_AHEAD, mostReadAhead, outside / SHARE_FOR_READ_AHEAD);
    MemorySizes sizes = of(cache + memtables + readAhead, cache, memtables, readAhead, bounds);
    return options.blockCacheBytes().isPresent()
        ? sizes
        : sizes.withOffHeap(MOST_FOR_BLOCKS + MOST_UNUSED_FOR_BLOCKS);
  }

  private MemorySizes withOffHeap(long most) {
    return new MemorySizes(
        budget, cache, cacheOnHeap, Math.min(cacheOffHeap, most), memtables, readAhead);
  }

  private static MemorySizes of(
      long budget, long cache, long memtables, long readAhead, Bounds bounds) {
    return new MemorySizes(
        budget,
        cache,
        bounds.heap() / HEAP_SHARE_FOR_METADATA,
        Math.min(
            bounds.leftForBlocks(),
            Math.min(bounds.heap() * OFF_HEAP_PER_HEAP, bounds.direct() / DIRECT_SHARE_FOR_CACHE)),
        memtables,
        readAhead);
  }

  private static long defaultCache(long outside, long heap) {
    long metadata = Math.min(heap / HEAP_SHARE_FOR_METADATA, outside / SHARE_FOR_METADATA);
    return within(LEAST_FOR_BLOCKS, MOST_FOR_BLOCKS, outside / SHARE_FOR_BLOCKS)
        + Math.min(MOST_FOR_METADATA, metadata);
  }

  private static long within(long least, long most, long bytes) {
    return Math.max(least, Math.min(most, bytes));
  }

  private static void warnIfLarge(
      String setting, OptionalLong wanted, OptionalLong memory, int share) {
    if (isLarge(wanted, memory, share)) {
      LOG.warn(
          "{} is {}, more than 1/{} of the memory there is for the process, {}",
          setting,
          wanted.getAsLong(),
          share,
          memory.getAsLong());
    }
  }

  static boolean isLarge(OptionalLong wanted, OptionalLong memory, int share) {
    return wanted.isPresent()
        && memory.isPresent()
        && wanted.getAsLong() > memory.getAsLong() / share;
  }
}
