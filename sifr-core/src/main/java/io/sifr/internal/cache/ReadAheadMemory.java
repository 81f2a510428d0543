package io.sifr.internal.cache;

import java.util.concurrent.atomic.LongAdder;

/**
 * The part of a {@link ReadAheadBudget} that the iterators of a store take: blocks that they read
 * ahead, and those still in use of earlier reads.
 *
 * <p>Thread-safe.
 */
public final class ReadAheadMemory {
  private final ReadAheadBudget budget;
  private final LongAdder used = new LongAdder();

  /** Nothing yet. */
  public ReadAheadMemory(ReadAheadBudget budget) {
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
}
