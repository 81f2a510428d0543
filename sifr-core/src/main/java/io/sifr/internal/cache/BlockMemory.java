package io.sifr.internal.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The pool that blocks are read into. One for the JVM: what a store gives back serves the next.
 *
 * <p>Its memory is Netty's, and so is its book-keeping: direct memory counted against the JVM's
 * limit, and a leak detector that can be switched on. The allocator is of our own making because
 * the default one adapts itself to request sizes we do not have, and keeps memory for each thread.
 * It is not asked for aligned memory, which Netty has only where it may use {@code Unsafe}: not on
 * Java 24 and later.
 *
 * <p>Thread-safe.
 */
public final class BlockMemory {
  /** Sizes are multiples of this many bytes; addresses need not be. */
  public static final int PAGE_BYTES = 4096;

  /**
   * System property by which freed memory is overwritten before it goes back to the pool, so that a
   * use of it behind its end is a wrong checksum or entry and not a lucky guess. For tests.
   */
  static final String POISON_PROPERTY = "io.sifr.poison";

  private static final long POISON = 0xDBDBDBDBDBDBDBDBL;
  private static final boolean POISONS = Boolean.getBoolean(POISON_PROPERTY);

  /** Two, so that two readers rarely meet at the lock of one. */
  private static final int ARENAS = 2;

  private static final int POOL_PAGE_BYTES = 8192;

  /** Memory comes from the system in pieces of 1 MiB: 8 KiB shifted by so much. */
  private static final int CHUNK_ORDER = 7;

  private static final PooledByteBufAllocator POOL =
      new PooledByteBufAllocator(true, 0, ARENAS, POOL_PAGE_BYTES, CHUNK_ORDER, 0, 0, false, 0);

  private static final AtomicLong BYTES_IN_USE = new AtomicLong();

  private BlockMemory() {}

  /**
   * Memory for one user.
   *
   * @param bytes how much; a multiple of {@value #PAGE_BYTES}, at least one page
   */
  static ByteBuf allocate(int bytes) {
    if (bytes <= 0 || bytes % PAGE_BYTES != 0) {
      throw new IllegalArgumentException(
          "size is " + bytes + "; allowed: positive multiples of " + PAGE_BYTES);
    }
    ByteBuf memory = POOL.directBuffer(bytes, bytes);
    BYTES_IN_USE.addAndGet(bytes);
    return memory;
  }

  /** Bytes that were allocated and not given back, by all stores of the JVM. */
  public static long bytesInUse() {
    return BYTES_IN_USE.get();
  }

  /**
   * Takes memory back.
   *
   * @param buffer the same memory
   */
  static void free(ByteBuf memory, ByteBuffer buffer) {
    if (POISONS) {
      for (int i = 0; i < buffer.capacity(); i += Long.BYTES) {
        buffer.putLong(i, POISON);
      }
    }
    BYTES_IN_USE.addAndGet(-buffer.capacity());
    memory.release();
  }
}
