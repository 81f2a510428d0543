package io.sifr.internal.memtable;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the memtables of some stores have in common, in bytes of their arrays. When those
 * that are written to take more than half of it, the stores that take most of it are asked to flush
 * until all together take a quarter: so a small memtable stays as long as larger ones can make
 * room, and when all are small, many are flushed together.
 *
 * <p>No store depends on the flushes of another. Each may always take its <em>share</em>, an equal
 * part of the memory; one that takes more has to wait for flushes of its own when there is nothing
 * left. If the flushes of a store fail for a long time, what it holds and the shares of the others
 * may add up to twice the memory.
 *
 * <p>Thread-safe.
 */
public final class MemtableBudget {
  /** The memtables of a store. */
  interface Member {
    /** Bytes of those that are written to. */
    long active();

    /** Asks for flushes until those that are written to take at most so many bytes. */
    void shrinkTo(long bytes, boolean byItself);
  }

  private final long limit;
  private final Runnable changed;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong active = new AtomicLong();
  private final List<Member> members = new CopyOnWriteArrayList<>();

  /**
   * Memory of which nothing is used.
   *
   * @param limit bytes, at least 1
   * @param changed called whenever it is used more, or less
   */
  public MemtableBudget(long limit, Runnable changed) {
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

  void join(Member member) {
    members.add(member);
  }

  void leave(Member member) {
    members.remove(member);
  }

  /**
   * Memtables of a store take so much more; less if negative.
   *
   * @param ofActive how much of it is for those that are written to
   */
  void add(Member by, long bytes, long ofActive) {
    used.addAndGet(bytes);
    long nowActive = active.addAndGet(ofActive);
    if (bytes > 0 && nowActive > limit / 2) {
      long level = level();
      for (Member member : members) {
        if (member.active() > level) {
          member.shrinkTo(level, member == by);
        }
      }
    }
    changed.run();
  }

  /** The largest number of bytes such that stores with at most so many take a quarter in all. */
  private long level() {
    long[] sorted = members.stream().mapToLong(Member::active).sorted().toArray();
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
