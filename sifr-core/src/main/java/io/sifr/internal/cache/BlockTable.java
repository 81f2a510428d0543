package io.sifr.internal.cache;

import org.jspecify.annotations.Nullable;

/** The blocks that the cache keeps of one part of a file, by number. Thread-safe. */
public final class BlockTable extends CachedTable<MemoryBlock> {
  /**
   * An empty table.
   *
   * @param size number of blocks
   * @param hash hash code of the part of the file
   */
  public BlockTable(BlockCache cache, int size, int hash) {
    super(cache, cache.shared().offHeap(), size, hash);
  }

  /** Whether a block is in the cache at this moment. */
  public boolean contains(int number) {
    return get(number) != null;
  }

  /**
   * A block, if it is in the cache. It is retained for the caller, which must {@link
   * MemoryBlock#release} it.
   */
  public @Nullable MemoryBlock acquire(int number) {
    MemoryBlock block = get(number);
    if (block == null || !block.tryRetain()) {
      return null;
    }
    used(block);
    return block;
  }

  /**
   * Inserts a block that was read because it was not in the cache, if that {@link #wants} it. The
   * caller's own reference is unchanged.
   */
  public void offer(int number, MemoryBlock block) {
    if (wants(number, block.bytes())) {
      keep(number, block);
    }
  }

  /**
   * Inserts a block that it {@link #wants}, unless it is cached already or the table is closed. The
   * caller's own reference is unchanged.
   */
  public void keep(int number, MemoryBlock block) {
    if (block.tryRetain() && add(number, block) != null) {
      block.release();
    }
  }
}
