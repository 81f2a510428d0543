package io.sifr.internal.memtable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a {@link MemtableBudget} that the memtables of a store take; decides when they have
 * to be flushed for it.
 *
 * <p>Thread-safe.
 */
public final class MemtableMemory implements MemtableBudget.Member, AutoCloseable {
  private static final long ANY = Long.MAX_VALUE;

  private final MemtableBudget budget;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();

  /** The most bytes that those that are written to should take. */
  private final AtomicLong target = new AtomicLong(ANY);

  private volatile Runnable flusher = () -> {};
  private volatile boolean closed;

  /** Takes part in a budget until it is closed; so far with nothing. */
  public MemtableMemory(MemtableBudget budget) {
    this.budget = budget;
    budget.join(this);
  }

  /**
   * Memory that is shared with no other store.
   *
   * @param limit bytes, at least 1
   */
  public MemtableMemory(long limit) {
    this(new MemtableBudget(limit, () -> {}));
  }

  /**
   * Says how to flush for the sake of other stores.
   *
   * @param start has {@link #takeExcess} called and the memtables flushed, by another thread: it is
   *     called by writers of other stores
   */
  public void flushBy(Runnable start) {
    flusher = start;
  }

  /** Bytes that all memtables take. */
  public long used() {
    return used.get();
  }

  @Override
  public long active() {
    return used.get() - waiting.get();
  }

  /**
   * Which part of the memory is taken, as far as it concerns this store: its own part of its share
   * if that is less. Above 1 if there is more than should be.
   */
  public double fill() {
    return Math.min(budget.fill(), (double) used.get() / budget.share());
  }

  /**
   * Whether a writer has to wait. False if nothing is on its way to be flushed: the wait would
   * never end.
   */
  public boolean isFull() {
    return waiting.get() > 0 && fill() >= 1;
  }

  /** Whether memtables should be flushed now; usually not. */
  public boolean isExcessive() {
    return target.get() != ANY;
  }

  /** Bytes of memtables that are to be flushed now, by the caller. */
  public long takeExcess() {
    return Math.max(0, active() - target.getAndSet(ANY));
  }

  @Override
  public void shrinkTo(long bytes, boolean byItself) {
    if (target.getAndSet(bytes) == ANY && !byItself) {
      flusher.run();
    }
  }

  /** Memtables take so much more memory; less if negative. */
  void addUsed(long bytes) {
    if (!closed) {
      used.addAndGet(bytes);
      budget.add(this, bytes, bytes);
      if (bytes > 0 && waiting.get() == 0 && fill() >= 1) {
        shrinkTo(budget.share() / 4, true); // so that there is a flush that it can wait for
      }
    }
  }

  /** So much more of it, or less, is on its way to be flushed. */
  void addWaiting(long bytes) {
    if (!closed) {
      waiting.addAndGet(bytes);
      budget.add(this, 0, -bytes);
    }
  }

  /** Gives back everything; what is added or given back from now on is not counted. */
  @Override
  public void close() {
    closed = true;
    budget.leave(this);
    long left = used.getAndSet(0);
    budget.add(this, -left, waiting.getAndSet(0) - left);
  }
}
