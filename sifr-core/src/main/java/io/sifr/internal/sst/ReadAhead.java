package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * The read-ahead of an iterator: successive blocks from one read, and the blocks after them that
 * are being read in the background. Kept outside the cache, so that a long scan does not evict what
 * others use. For one thread.
 */
final class ReadAhead {
  /**
   * A read of this many pages takes about twice as long as one of half as many: larger reads gain
   * little.
   */
  private static final int MAX_PAGES = 64;

  /**
   * Size of an iterator's first read; each further read is twice as large. Reading four pages takes
   * hardly longer than reading one, and an iterator that returns a hundred entries also needs the
   * second block of a large tree.
   */
  private static final int FIRST_PAGES = 4;

  /** From this size on, the next read is worth another thread. */
  private static final int LONG_PAGES = 4 * FIRST_PAGES;

  private final ReadAheadPolicy policy;
  private final ReadHelper helper;

  private int lastBlock = -2;

  /** Number of reads ahead since the iterator last changed its direction or position. */
  private int reads;

  private boolean backwards;

  private @Nullable MemoryBlock memory;
  private int from;
  private int to;

  private @Nullable BackgroundRead inBackground;

  ReadAhead(ReadAheadPolicy policy, ReadHelper helper) {
    this.policy = policy;
    this.helper = helper;
  }

  /** Sets the direction in which the iterator will leave the next block it enters. */
  void headFor(boolean smallerKeys) {
    backwards = smallerKeys;
  }

  /** Called for each block the iterator enters. */
  void enters(int block) {
    if (Math.abs(block - lastBlock) > 1) {
      reads = 0;
    }
    lastBlock = block;
  }

  /** Whether the iterator moves towards smaller keys. */
  boolean isBackwards() {
    return backwards;
  }

  /** Largest number of pages to read at once. */
  int pages() {
    return policy == ReadAheadPolicy.GROWING
        ? Math.min(MAX_PAGES, FIRST_PAGES << Math.min(reads, 4))
        : MAX_PAGES;
  }

  /** Whether the blocks held are those of a short scan, as most scans of users are. */
  boolean isShort() {
    MemoryBlock held = memory;
    return usesCache() && held != null && held.bytes() <= FIRST_PAGES * SstFormat.PAGE_BYTES;
  }

  /** Whether blocks are looked up in the cache and inserted into it. */
  boolean usesCache() {
    return policy != ReadAheadPolicy.FULL;
  }

  /**
   * Whether the scan is so long already that it is likely to need the next blocks too, and other
   * threads may help it.
   */
  boolean wantsHelp() {
    return helper != ReadHelper.NONE && pages() >= LONG_PAGES;
  }

  /** The memory that holds the block, if it was read ahead. */
  @Nullable MemoryBlock holding(int block) {
    return block >= from && block < to ? memory : null;
  }

  /** The first block that was read ahead. */
  int from() {
    return from;
  }

  /** One more than the last block that was read ahead. */
  int to() {
    return to;
  }

  /** Starts a read in the background, if a thread is free. */
  void begin(BackgroundRead next) {
    cancelBackgroundRead();
    inBackground = next; // first, so that it is cancelled in any case
    if (!helper.tryRun(next)) {
      inBackground = null;
    }
  }

  /** Takes over the background read when it includes the block; any other blocks are dropped. */
  boolean keepBackgroundRead(int block) {
    BackgroundRead next = inBackground;
    if (next == null || block < next.from() || block >= next.to()) {
      cancelBackgroundRead();
      return false;
    }
    inBackground = null;
    keep(next.await(), next.from(), next.to());
    return true;
  }

  private void cancelBackgroundRead() {
    BackgroundRead next = inBackground;
    inBackground = null;
    if (next != null) {
      next.cancel();
    }
  }

  /** Keeps successive blocks, in memory that the caller has retained for this object. */
  void keep(MemoryBlock read, int fromBlock, int toBlock) {
    releaseMemory();
    reads++;
    memory = read;
    from = fromBlock;
    to = toBlock;
  }

  /** Releases everything. When it returns, no other thread reads for the iterator any more. */
  void release() {
    releaseMemory();
    cancelBackgroundRead();
  }

  private void releaseMemory() {
    MemoryBlock held = memory;
    memory = null;
    from = 0;
    to = 0;
    if (held != null) {
      held.release();
    }
  }
}
