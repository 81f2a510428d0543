package io.sifr.internal.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The cached blocks of one part of a file, by number: found by an index instead of a hash, without
 * a key object. Thread-safe.
 */
public final class BlockTable implements MemoryBlock.Keeper {
  private final BlockCache cache;
  private final AtomicReferenceArray<@Nullable MemoryBlock> blocks;
  private final int hash;
  private volatile boolean closed;

  /**
   * An empty table.
   *
   * @param size number of blocks
   * @param hash hash code of the part of the file
   */
  public BlockTable(BlockCache cache, int size, int hash) {
    this.cache = cache;
    this.hash = hash;
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
   * Inserts a block, unless it is cached already or too large, or the table is closed. The caller's
   * own reference is unchanged.
   */
  public void offer(int number, MemoryBlock block) {
    if (closed || !cache.takes(block.bytes())) {
      return;
    }
    block.keptBy(this, number, 31 * hash + number);
    if (block.tryRetain()) {
      if (!blocks.compareAndSet(number, null, block)) {
        block.release();
        return;
      }
      cache.add(block);
      if (closed) {
        cache.evict(block); // it may have come after the others were removed
      }
    }
  }

  @Override
  public void remove(int number, MemoryBlock block) {
    blocks.compareAndSet(number, block, null);
  }

  /**
   * Removes all blocks, and keeps none from now on. To be called by what is evicted with them: the
   * cache frees the blocks right after it.
   */
  public void close() {
    closed = true;
    for (int i = 0; i < blocks.length(); i++) {
      MemoryBlock block = blocks.get(i);
      if (block != null) {
        cache.drop(block);
      }
    }
  }
}
