package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * What a walk has read beyond the block it stands in: successive blocks, of one read. Kept beside
 * the cache, lest a long walk drive out what others use. For one thread.
 */
final class ReadAhead {
  /** How much is read at once. */
  enum Policy {
    /**
     * One block at a time at first, and through the cache; more and more when the walk goes on. For
     * walks of users, most of which are short.
     */
    GROWING,
    /** As much as is worth while from the first block on. For merges, which read everything. */
    FULL
  }

  /** A read of so many pages takes little longer than twice one of half of them. */
  private static final int MAX_PAGES = 64;

  /** After so many successive blocks more than one is read at once. */
  private static final int FIRST_BLOCKS = 1;

  private static final int FIRST_PAGES = 4;

  private final Policy policy;

  private int lastBlock = -2;
  private int successive;
  private boolean backwards;

  private @Nullable MemoryBlock memory;
  private int from;
  private int to;

  ReadAhead(Policy policy) {
    this.policy = policy;
  }

  /** Is told of each block the walk enters. */
  void enters(int block) {
    if (block == lastBlock + 1 || block == lastBlock - 1) {
      backwards = block < lastBlock;
      successive++;
    } else if (block != lastBlock) {
      backwards = false;
      successive = 0;
    }
    lastBlock = block;
  }

  /** Whether the walk goes towards smaller keys. */
  boolean isBackwards() {
    return backwards;
  }

  /** How many pages to read at once, at most; 0 when just the block is wanted. */
  int pages() {
    if (policy == Policy.FULL) {
      return MAX_PAGES;
    }
    int steps = successive - FIRST_BLOCKS;
    return steps < 0 ? 0 : Math.min(MAX_PAGES, FIRST_PAGES << Math.min(steps, 4));
  }

  /** Whether what is held is all that a short walk needs, as most walks of users are. */
  boolean isShort() {
    MemoryBlock held = memory;
    return usesCache() && held != null && held.bytes() <= FIRST_PAGES * SstFormat.PAGE_BYTES;
  }

  /** Whether the cache is asked for blocks, and given them. */
  boolean usesCache() {
    return policy == Policy.GROWING;
  }

  /** The memory that holds the block, if it was read ahead. */
  @Nullable MemoryBlock holding(int block) {
    return block >= from && block < to ? memory : null;
  }

  /** The first block that was read ahead. */
  int from() {
    return from;
  }

  /** Keeps successive blocks, in memory in which the caller has counted this in. */
  void keep(MemoryBlock read, int fromBlock, int toBlock) {
    release();
    memory = read;
    from = fromBlock;
    to = toBlock;
  }

  /** Lets go of them. */
  void release() {
    MemoryBlock held = memory;
    memory = null;
    from = 0;
    to = 0;
    if (held != null) {
      held.release();
    }
  }
}
