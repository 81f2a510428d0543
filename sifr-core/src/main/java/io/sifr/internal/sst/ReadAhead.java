package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * What a walk has read beyond the block it stands in: successive blocks, of one read, and those
 * behind them that are being read meanwhile. Kept beside the cache, lest a long walk drive out what
 * others use. For one thread.
 */
final class ReadAhead {
  /** A read of so many pages takes little longer than twice one of half of them. */
  private static final int MAX_PAGES = 64;

  /**
   * What is read at once where a walk begins; twice as many for each read behind that. A read of
   * four pages takes hardly longer than one of a single page, and a walk that goes on for a hundred
   * entries needs the second block of a large tree, too.
   */
  private static final int FIRST_PAGES = 4;

  /** A walk that is to read so many pages next is worth another thread. */
  private static final int LONG_PAGES = 4 * FIRST_PAGES;

  private final ReadAheadPolicy policy;
  private final ReadHelper helper;

  private int lastBlock = -2;

  /** How often a walk that has not left its way has read ahead. */
  private int reads;

  private boolean backwards;

  private @Nullable MemoryBlock memory;
  private int from;
  private int to;

  private @Nullable ReadBeside coming;

  ReadAhead(ReadAheadPolicy policy, ReadHelper helper) {
    this.policy = policy;
    this.helper = helper;
  }

  /** Is told where the walk is going to go from the next block it enters. */
  void headFor(boolean smallerKeys) {
    backwards = smallerKeys;
  }

  /** Is told of each block the walk enters. */
  void enters(int block) {
    if (Math.abs(block - lastBlock) > 1) {
      reads = 0;
    }
    lastBlock = block;
  }

  /** Whether the walk goes towards smaller keys. */
  boolean isBackwards() {
    return backwards;
  }

  /** How many pages to read at once, at most. */
  int pages() {
    return policy == ReadAheadPolicy.GROWING
        ? Math.min(MAX_PAGES, FIRST_PAGES << Math.min(reads, 4))
        : MAX_PAGES;
  }

  /** Whether what is held is all that a short walk needs, as most walks of users are. */
  boolean isShort() {
    MemoryBlock held = memory;
    return usesCache() && held != null && held.bytes() <= FIRST_PAGES * SstFormat.PAGE_BYTES;
  }

  /** Whether the cache is asked for blocks, and given them. */
  boolean usesCache() {
    return policy != ReadAheadPolicy.FULL;
  }

  /**
   * Whether the walk has come so far that it is likely to need what comes next, too, and is one
   * that others may help.
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

  /** Behind the last block that was read ahead. */
  int to() {
    return to;
  }

  /** Has blocks read meanwhile, if somebody is free. */
  void begin(ReadBeside next) {
    giveUpComing();
    coming = next; // before anybody can begin: it is given up whatever happens here
    if (!helper.tryRun(next)) {
      coming = null;
    }
  }

  /** Keeps what has been read meanwhile, when it holds the block; whatever else was is no use. */
  boolean keepComing(int block) {
    ReadBeside next = coming;
    if (next == null || block < next.from() || block >= next.to()) {
      giveUpComing();
      return false;
    }
    coming = null;
    keep(next.await(), next.from(), next.to());
    return true;
  }

  private void giveUpComing() {
    ReadBeside next = coming;
    coming = null;
    if (next != null) {
      next.giveUp();
    }
  }

  /** Keeps successive blocks, in memory in which the caller has counted this in. */
  void keep(MemoryBlock read, int fromBlock, int toBlock) {
    letGo();
    reads++;
    memory = read;
    from = fromBlock;
    to = toBlock;
  }

  /** Lets go of everything. No other thread reads for the walk any more when it returns. */
  void release() {
    letGo();
    giveUpComing();
  }

  private void letGo() {
    MemoryBlock held = memory;
    memory = null;
    from = 0;
    to = 0;
    if (held != null) {
      held.release();
    }
  }
}
