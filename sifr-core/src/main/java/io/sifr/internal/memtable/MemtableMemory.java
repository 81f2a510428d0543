package io.sifr.internal.memtable;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a {@link Budget} that the memtables of a store take; decides when they have to be
 * flushed for it.
 *
 * <p>Thread-safe.
 */
public final class MemtableMemory implements AutoCloseable {
  private static final long ANY = Long.MAX_VALUE;

  private final Budget budget;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();

  /** The most bytes that those that are written to should take. */
  private final AtomicLong target = new AtomicLong(ANY);

  private volatile Runnable flusher = () -> {};
  private volatile boolean closed;

  /** Takes part in a budget until it is closed; so far with nothing. */
  public MemtableMemory(Budget budget) {
    this.budget = budget;
    budget.join(this);
  }

  /**
   * Memory that is shared with no other store.
   *
   * @param limit bytes, at least 1
   */
  public MemtableMemory(long limit) {
    this(new Budget(limit, () -> {}));
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

  /** Bytes of those that are written to. */
  long active() {
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

  /** Requests flushes until those that are written to take at most so many bytes. */
  private void shrinkTo(long bytes, boolean byItself) {
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

  /**
   * The memory that the memtables of some stores have in common, in bytes of their arrays. When
   * those that are written to take more than half of it, the stores that take most of it are asked
   * to flush until all together take a quarter: so a small memtable stays as long as larger ones
   * can make room, and when all are small, many are flushed together.
   *
   * <p>No store depends on the flushes of another. Each may always take its <em>share</em>, an
   * equal part of the memory; one that takes more has to wait for flushes of its own when there is
   * nothing left. If the flushes of a store fail for a long time, what it holds and the shares of
   * the others may add up to twice the memory.
   *
   * <p>Thread-safe.
   */
  public static final class Budget {
    private final long limit;
    private final Runnable changed;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong active = new AtomicLong();
    private final List<MemtableMemory> members = new CopyOnWriteArrayList<>();

    /**
     * Memory of which nothing is used.
     *
     * @param limit bytes, at least 1
     * @param changed called whenever it is used more, or less
     */
    public Budget(long limit, Runnable changed) {
      this.limit = limit;
      this.changed = changed;
    }

    /** Bytes there are. */
    public long limit() {
      return limit;
    }

    /** Bytes that all memtables take. */
    public long used() {
      return used.get();
    }

    /** Which share of the memory all memtables take; above 1 if more than all of it. */
    double fill() {
      return (double) used.get() / limit;
    }

    /** Bytes that are always there for each store. */
    long share() {
      return limit / Math.max(1, members.size());
    }

    void join(MemtableMemory member) {
      members.add(member);
    }

    void leave(MemtableMemory member) {
      members.remove(member);
    }

    /**
     * Memtables of a store take so much more; less if negative.
     *
     * @param ofActive how much of it is for those that are written to
     */
    void add(MemtableMemory by, long bytes, long ofActive) {
      used.addAndGet(bytes);
      long nowActive = active.addAndGet(ofActive);
      if (bytes > 0 && nowActive > limit / 2) {
        long level = level();
        for (MemtableMemory member : members) {
          if (member.active() > level) {
            member.shrinkTo(level, member == by);
          }
        }
      }
      changed.run();
    }

    /** The largest number of bytes such that stores with at most so many take a quarter in all. */
    private long level() {
      long[] sorted = members.stream().mapToLong(MemtableMemory::active).sorted().toArray();
      long left = limit / 4;
      for (int i = 0; i < sorted.length; i++) {
        long equalParts = left / (sorted.length - i);
        if (sorted[i] > equalParts) {
          return equalParts;
        }
        left -= sorted[i];
      }
      return Long.MAX_VALUE;
    }
  }
}
