package io.sifr.internal.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The pools of memory for blocks. One for all stores of the JVM: memory that one store releases is
 * reused by the next.
 *
 * <p>Memory and accounting are Netty's: direct memory counted against the JVM's limit, and a leak
 * detector that can be switched on. The allocator has its own configuration, because the default
 * one is tuned for other request sizes and caches memory per thread. It does not provide aligned
 * memory, which Netty supports only where it may use {@code Unsafe}: not on Java 24 and later.
 *
 * <p>Thread-safe.
 */
public final class BlockMemory {
  /** Sizes are multiples of this many bytes; addresses need not be. */
  public static final int PAGE_BYTES = 4096;

  /**
   * System property that makes freed memory be overwritten before it returns to the pool, so that a
   * use after free shows as a wrong checksum or entry. For tests.
   */
  static final String POISON_PROPERTY = "io.sifr.poison";

  private static final long POISON = 0xDBDBDBDBDBDBDBDBL;
  private static final boolean POISONS = Boolean.getBoolean(POISON_PROPERTY);

  /** Two, so that two readers rarely contend for one lock. */
  private static final int ARENAS = 2;

  private static final int POOL_PAGE_BYTES = 8192;

  /** Memory is requested from the system in chunks of 1 MiB: 8 KiB shifted by this. */
  private static final int CHUNK_ORDER = 7;

  private static final AtomicLong BYTES_IN_USE = new AtomicLong();

  /** Whether there are pools. */
  private static volatile boolean hasPools;

  private BlockMemory() {}

  /**
   * Made when the first block is read: a store whose files are mapped opens in nine tenths of the
   * time without.
   */
  private static final class Pools {
    /** For what may stay for long, in small pieces. */
    static final PooledByteBufAllocator KEPT = pool(ARENAS);

    /**
     * For what is read ahead: large pieces, soon freed. Among blocks that are kept they would leave
     * gaps, and no megabyte would ever be free as a whole.
     */
    static final PooledByteBufAllocator READ_AHEAD = pool(1);

    static {
      hasPools = true;
    }

    private static PooledByteBufAllocator pool(int arenas) {
      return new PooledByteBufAllocator(
          true, 0, arenas, POOL_PAGE_BYTES, CHUNK_ORDER, 0, 0, false, 0);
    }

    static long bytesHeld() {
      return KEPT.metric().usedDirectMemory() + READ_AHEAD.metric().usedDirectMemory();
    }
  }

  /**
   * Allocates memory, with one user.
   *
   * @param bytes size; a multiple of {@value #PAGE_BYTES}, at least one page
   */
  static ByteBuf allocate(int bytes) {
    return allocate(Pools.KEPT, bytes);
  }

  /** The same for memory that will soon be freed. */
  static ByteBuf allocateForReadAhead(int bytes) {
    return allocate(Pools.READ_AHEAD, bytes);
  }

  private static ByteBuf allocate(PooledByteBufAllocator pool, int bytes) {
    if (bytes <= 0 || bytes % PAGE_BYTES != 0) {
      throw new IllegalArgumentException(
          "size is " + bytes + "; allowed: positive multiples of " + PAGE_BYTES);
    }
    ByteBuf memory = pool.directBuffer(bytes, bytes);
    BYTES_IN_USE.addAndGet(bytes);
    return memory;
  }

  /** Bytes in use by all stores of the JVM. */
  public static long bytesInUse() {
    return BYTES_IN_USE.get();
  }

  /**
   * Bytes that the pool has of the system, in use or not. Memory is requested by the megabyte, and
   * returned when a whole megabyte is free.
   */
  public static long bytesHeld() {
    return hasPools ? Pools.bytesHeld() : 0;
  }

  /**
   * Bytes of memory off the heap that the JVM lets all its code have: option {@code
   * MaxDirectMemorySize}, without which it is as much as the heap.
   */
  public static long bytesAllowed() {
    return PlatformDependent.maxDirectMemory();
  }

  /**
   * Frees memory.
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
