package io.sifr.internal.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of one file are in the cache, by number: found by an index instead of a hash, and
 * without an object for a key. Thread-safe.
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

  /** Whether the cache keeps blocks of so many bytes. */
  public boolean takes(int bytes) {
    return cache.takes(bytes);
  }

  /**
   * A block, if it is in the cache. The caller is counted in, and has to {@link
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
   * Has the cache keep a block, unless it has it already or it is too large. Nothing changes for
   * the caller, who stays counted in.
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

  /** Empties it. Nobody may offer a block any more. */
  public void clear() {
    for (int i = 0; i < blocks.length(); i++) {
      MemoryBlock block = blocks.get(i);
      if (block != null) {
        cache.evict(block);
      }
    }
  }
}
