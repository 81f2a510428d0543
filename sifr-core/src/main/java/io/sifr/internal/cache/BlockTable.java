package io.sifr.internal.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The cached blocks of one file, by number: found by an index instead of a hash, without a key
 * object. Thread-safe.
 */
public final class BlockTable implements MemoryBlock.Keeper {
  private final BlockCache cache;
  private final AtomicReferenceArray<@Nullable MemoryBlock> blocks;

  /** An empty table for a file of so many blocks. */
  public BlockTable(BlockCache cache, int size) {
    this.cache = cache;
    this.blocks = new AtomicReferenceArray<>(size);
  }

  /** Whether a block is in the cache at this moment. */
  public boolean contains(int number) {
    return blocks.get(number) != null;
  }

  /** Whether the cache keeps blocks of that size. */
  public boolean takes(int bytes) {
    return cache.takes(bytes);
  }

  /**
   * A block, if it is in the cache. It is retained for the caller, which must {@link
   * MemoryBlock#release} it.
   */
  public @Nullable MemoryBlock acquire(int number) {
    MemoryBlock block = blocks.get(number);
    if (block == null || !block.tryRetain()) {
      return null;
    }
    cache.used(block);
    return block;
  }

  /**
   * Inserts a block, unless it is cached already or too large. The caller's own reference is
   * unchanged.
   */
  public void offer(int number, MemoryBlock block) {
    if (!cache.takes(block.bytes())) {
      return;
    }
    block.keptBy(this, number);
    if (block.tryRetain()) {
      if (blocks.compareAndSet(number, null, block)) {
        cache.add(block);
      } else {
        block.release();
      }
    }
  }

  @Override
  public void remove(int number, MemoryBlock block) {
    blocks.compareAndSet(number, block, null);
  }

  /** Removes all blocks. No block may be offered afterwards. */
  public void clear() {
    for (int i = 0; i < blocks.length(); i++) {
      MemoryBlock block = blocks.get(i);
      if (block != null) {
        cache.evict(block);
      }
    }
  }
}
