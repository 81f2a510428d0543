package io.sifr.internal.cache;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Reference-counted memory: each user retains and releases it, and the last release returns it to
 * the pool. It begins with one reference, that of its allocator.
 *
 * <p>Each block has its own count. Readers of different blocks share nothing; those of one very hot
 * block contend for its count, which costs a cache miss. In return, memory is released at once, and
 * the bound of the cache holds.
 *
 * <p>Thread-safe, except for the contents, which only the first user may write.
 */
public final class MemoryBlock extends CacheArea.Item {
  private static final AtomicIntegerFieldUpdater<MemoryBlock> USERS =
      AtomicIntegerFieldUpdater.newUpdater(MemoryBlock.class, "users");

  private final ByteBuf memory;
  private final ByteBuffer buffer;
  private final @Nullable ReadAheadMemory charged;

  /** Reference count. Once it is 0, it never rises again. */
  private volatile int users = 1;

  // The range in use; set before the block is shared.
  private int from;
  private int to;

  private MemoryBlock(ByteBuf memory, int bytes, @Nullable ReadAheadMemory charged) {
    this.memory = memory;
    this.charged = charged;
    this.to = bytes;
    this.buffer = memory.nioBuffer(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Memory for one user.
   *
   * @param bytes how much; a multiple of {@value BlockMemory#PAGE_BYTES}, at least one page
   */
  public static MemoryBlock allocate(int bytes) {
    return new MemoryBlock(BlockMemory.allocate(bytes), bytes, null);
  }

  /**
   * Memory for the read-ahead of an iterator, for one user.
   *
   * @param charged what it is counted in until it is freed
   */
  public static MemoryBlock allocate(int bytes, ReadAheadMemory charged) {
    MemoryBlock block = new MemoryBlock(BlockMemory.allocateForReadAhead(bytes), bytes, charged);
    charged.add(bytes);
    return block;
  }

  /**
   * The memory, little-endian, to be used with absolute indices: all users share its position and
   * limit. Only while retained.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Size of the memory. */
  @Override
  public int bytes() {
    return buffer.capacity();
  }

  /** Sets the range of its contents. Called by its first user, before it is shared. */
  public void holds(int fromOffset, int toOffset) {
    from = fromOffset;
    to = toOffset;
  }

  /** Start of the contents. */
  public int from() {
    return from;
  }

  /** End of the contents. */
  public int to() {
    return to;
  }

  /**
   * Adds a reference.
   *
   * @return false when the last reference was dropped already
   */
  public boolean tryRetain() {
    int seen = users;
    while (seen > 0) {
      if (USERS.compareAndSet(this, seen, seen + 1)) {
        return true;
      }
      seen = users;
    }
    return false;
  }

  /**
   * Drops a reference; the last one frees the memory.
   *
   * @throws IllegalStateException when there is none
   */
  public void release() {
    int left = USERS.decrementAndGet(this);
    if (left == 0) {
      BlockMemory.free(memory, buffer);
      if (charged != null) {
        charged.add(-bytes());
      }
    } else if (left < 0) {
      USERS.incrementAndGet(this);
      throw new IllegalStateException("a block of memory was released twice");
    }
  }

  @Override
  public CacheUse use() {
    return CacheUse.BLOCKS;
  }

  @Override
  protected void dropped() {
    release();
  }
}
