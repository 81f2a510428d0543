package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.io.PhysicalMemory;
import io.sifr.internal.memtable.MemtableMemory;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory that any number of stores share, within one budget: what they keep of SSTs, their write
 * buffers, and what iterators read ahead. Write buffers and read-ahead have limits of their own;
 * the cache may take what they do not use at the moment.
 *
 * <p>It holds nothing that has to be closed: each store frees what it has taken.
 *
 * <p>Thread-safe.
 */
public final class SharedMemory {
  /** A change of less than one in this many of the budget's bytes does not change the cache. */
  private static final int SMALL_SHARE = 64;

  /** Idle memory of the pool takes at most one in this many of the bytes from the cache. */
  private static final int MOST_IDLE_SHARE = 4;

  private final Sizes sizes;
  private final SharedCache cache;
  private final MemtableMemory.Budget memtables;
  private final ReadAheadMemory.Budget readAhead;

  /** The bytes that the cache does not get because as much is idle. */
  private volatile long reserved;

  private SharedMemory(Sizes sizes) {
    this.sizes = sizes;
    this.cache =
        new SharedCache(
            sizes.cache(), sizes.cacheOnHeap(), sizes.cacheOffHeap(), this::reserveIdle);
    this.memtables = new MemtableMemory.Budget(sizes.memtables(), this::fit);
    this.readAhead = new ReadAheadMemory.Budget(sizes.readAhead(), this::fit);
  }

  /** As much as the options say. */
  public static SharedMemory of(StoreOptions options) {
    return new SharedMemory(Sizes.of(options));
  }

  /** With a cache of that size, and no limit otherwise: for tools and tests. */
  public static SharedMemory ofCache(long cacheBytes) {
    long any = Long.MAX_VALUE / 4;
    return new SharedMemory(new Sizes(any, cacheBytes, any, any, any / 4, any / 4));
  }

  /** Takes in a store, until its part is closed. */
  public StoreMemory join() {
    return new StoreMemory(
        new SharedCache.OfStore(cache),
        new MemtableMemory(memtables),
        new ReadAheadMemory(readAhead),
        this::use);
  }

  /** What all stores take. */
  public MemoryUse use() {
    return new MemoryUse(
        sizes.budget(), memtables.used(), cache.bytes(), readAhead.used(), idleBytes());
  }

  /** Gives the cache what the others leave, if that has changed by much. */
  private void fit() {
    if (Math.abs(left() - cache.maxBytes()) > sizes.budget() / SMALL_SHARE) {
      resizeCache();
    }
  }

  private synchronized void resizeCache() {
    cache.resize(left());
  }

  private long left() {
    long others = memtables.used() + readAhead.used() + reserved;
    return Math.max(0, Math.min(sizes.cache(), sizes.budget() - others));
  }

  /**
   * Idle memory is deducted, but only to some extent: what is evicted to make room for it may be
   * idle, too, for as long as a single block next to it is in use.
   */
  private void reserveIdle() {
    reserved = Math.min(idleBytes(), sizes.budget() / MOST_IDLE_SHARE);
    fit();
  }

  private static long idleBytes() {
    return Math.max(0, BlockMemory.bytesHeld() - BlockMemory.bytesInUse());
  }

  /**
   * The size of the memory, and the most that each use may take of it. Of the heap, write buffers
   * take at most a quarter, and indexes and filters as much.
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
   * <p>In a container of 256 MiB, a quarter of it heap, that is 12, 16, 4 and 16 MiB; the others
   * are for the JVM itself and the page cache. Whatever is set: of the memory that the JVM allows
   * off the heap, which is as much as the heap unless {@code MaxDirectMemorySize} says otherwise,
   * blocks take at most half, and read-ahead at most a sixteenth; and of the memory there is,
   * blocks take at most what the heap and the JVM itself leave, else the system would kill the
   * process. If a size is set for blocks, they take at most that, and indexes and filters as much
   * as without.
   *
   * @param budget bytes of all uses together
   * @param cache bytes that the cache may take if there is nothing else
   * @param cacheOnHeap bytes of the cache that may be on the heap
   * @param cacheOffHeap bytes of the cache that may be off the heap
   * @param memtables bytes of write buffers
   * @param readAhead bytes that iterators may read ahead
   */
  record Sizes(
      long budget,
      long cache,
      long cacheOnHeap,
      long cacheOffHeap,
      long memtables,
      long readAhead) {
    private static final Logger LOG = LoggerFactory.getLogger(Sizes.class);

    private static final long LEAST_FOR_BLOCKS = 4 << 20;
    private static final long MOST_FOR_BLOCKS = 32 << 20;
    private static final int SHARE_FOR_BLOCKS = 16;

    /**
     * Of entries of 100 bytes they take a fortieth of the SST, of entries of 1 KiB a hundredth:
     * those of 40 and of 100 GiB fit.
     */
    private static final long MOST_FOR_METADATA = 1 << 30;

    /** The most that blocks may take of memory that indexes and filters do not need. */
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
     * For the JVM's compilers, which take 60 MiB at times, its classes and code, 50 MiB, pages of
     * its own files, 20 MiB, and for reading ahead and buffers of writers, 14 MiB.
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
    static Sizes of(StoreOptions options) {
      Bounds bounds = Bounds.ofThisProcess();
      OptionalLong memory = bounds.memory();
      warnIfLarge("memoryBudgetBytes", options.memoryBudgetBytes(), memory, LARGE_BUDGET_SHARE);
      warnIfLarge("blockCacheBytes", options.blockCacheBytes(), memory, LARGE_CACHE_SHARE);
      Sizes sizes = of(options, bounds);
      options.blockCacheBytes().ifPresent(sizes::warnIfTooLarge);
      return sizes;
    }

    private void warnIfTooLarge(long cacheBytes) {
      if (cacheOffHeap < Math.min(cacheBytes, budget)) {
        LOG.warn(
            "blockCacheBytes is {}; heap and memory of the process allow for {}",
            cacheBytes,
            cacheOffHeap);
      }
    }

    /** Those of the options in some process. */
    static Sizes of(StoreOptions options, Bounds bounds) {
      long heap = bounds.heap();
      long outside = bounds.outsideTheHeap();
      long mostReadAhead =
          Math.min(MOST_FOR_READ_AHEAD, bounds.direct() / DIRECT_SHARE_FOR_READ_AHEAD);
      OptionalLong budget = options.memoryBudgetBytes();
      if (budget.isPresent()) {
        long all = budget.getAsLong();
        return of(
            all,
            all,
            options.blockCacheBytes().orElse(all),
            Math.min(
                all,
                options
                    .totalWriteBufferBytes()
                    .orElse(
                        Math.min(
                            all / BUDGET_SHARE_FOR_MEMTABLES, heap / HEAP_SHARE_FOR_MEMTABLES))),
            Math.min(mostReadAhead, all / BUDGET_SHARE_FOR_READ_AHEAD),
            bounds);
      }
      long forBlocks = within(LEAST_FOR_BLOCKS, MOST_FOR_BLOCKS, outside / SHARE_FOR_BLOCKS);
      long cache =
          options.blockCacheBytes().orElse(forBlocks)
              + Math.min(
                  MOST_FOR_METADATA,
                  Math.min(heap / HEAP_SHARE_FOR_METADATA, outside / SHARE_FOR_METADATA));
      long memtables = options.totalWriteBufferBytes().orElse(heap / HEAP_SHARE_FOR_MEMTABLES);
      long readAhead = within(LEAST_FOR_READ_AHEAD, mostReadAhead, outside / SHARE_FOR_READ_AHEAD);
      return of(
          cache + memtables + readAhead,
          cache,
          options.blockCacheBytes().orElse(MOST_FOR_BLOCKS + MOST_UNUSED_FOR_BLOCKS),
          memtables,
          readAhead,
          bounds);
    }

    private static Sizes of(
        long budget, long cache, long blocks, long memtables, long readAhead, Bounds bounds) {
      long most =
          Math.min(
              bounds.leftForBlocks(),
              Math.min(
                  bounds.heap() * OFF_HEAP_PER_HEAP, bounds.direct() / DIRECT_SHARE_FOR_CACHE));
      return new Sizes(
          budget,
          cache,
          bounds.heap() / HEAP_SHARE_FOR_METADATA,
          Math.min(blocks, most),
          memtables,
          readAhead);
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
}
