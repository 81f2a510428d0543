package io.sifr.internal.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The part of a {@link Budget} that the iterators of a store take: blocks that they read ahead, and
 * those still in use of earlier reads.
 *
 * <p>Thread-safe.
 */
public final class ReadAheadMemory {
  private final Budget budget;
  private final LongAdder used = new LongAdder();

  /** Nothing yet. */
  public ReadAheadMemory(Budget budget) {
    this.budget = budget;
  }

  /** Bytes in use. */
  public long used() {
    return used.sum();
  }

  /** Bytes that a read may take at most; a read of a single block may take more. */
  public long most() {
    return budget.most();
  }

  void add(int bytes) {
    used.add(bytes);
    budget.add(bytes);
  }

  /**
   * The memory off the heap that the iterators of some stores may read ahead into. One read gets at
   * most an eighth of what is left: many iterators read less at a time instead of taking more
   * memory.
   *
   * <p>Thread-safe.
   */
  public static final class Budget {
    private static final int SHARE_OF_REST = 8;

    private final long limit;
    private final Runnable changed;
    private final AtomicLong used = new AtomicLong();

    /**
     * Memory of which nothing is used.
     *
     * @param limit bytes
     * @param changed called whenever it is used more, or less
     */
    public Budget(long limit, Runnable changed) {
      this.limit = limit;
      this.changed = changed;
    }

    /** Bytes there are. A read of a single block gets its memory in any case, even beyond these. */
    public long limit() {
      return limit;
    }

    /** Bytes in use by all stores. */
    public long used() {
      return used.get();
    }

    /** Bytes that a read may take at most; 0 or more. */
    long most() {
      return Math.max(0, limit - used.get()) / SHARE_OF_REST;
    }

    void add(long bytes) {
      used.addAndGet(bytes);
      changed.run();
    }
  }
}
