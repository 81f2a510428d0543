package io.sifr.internal.memtable;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the memtables of a store have in common, in bytes of their arrays. When those
 * that are written to take more than half of it, the largest should be flushed until they take a
 * quarter: so a small one stays as long as larger ones can make room, and when all are small, many
 * are flushed together. When all memory is taken, writers have to wait for a flush.
 *
 * <p>Thread-safe.
 */
public final class MemtableMemory {
  private static final int HEAP_SHARE = 4;

  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();

  /** Memory of which nothing is used; {@code limit} in bytes, at least 1. */
  public MemtableMemory(long limit) {
    this.limit = limit;
  }

  /** As much as was wanted, or a quarter of the largest heap, but at least three write buffers. */
  public static MemtableMemory of(OptionalLong wanted, long writeBufferBytes) {
    // Three: a single database that is written to fills its buffer before that takes half of it.
    long chosen = Math.max(Runtime.getRuntime().maxMemory() / HEAP_SHARE, 3 * writeBufferBytes);
    return new MemtableMemory(wanted.orElse(chosen));
  }

  /** Bytes that all memtables take. */
  public long used() {
    return used.get();
  }

  /** Which share of the memory they take; above 1 if more than all of it. */
  public double fill() {
    return (double) used.get() / limit;
  }

  /**
   * Whether a writer has to wait. False if nothing is on its way to be flushed: the wait would
   * never end.
   */
  public boolean isFull() {
    return used.get() >= limit && waiting.get() > 0;
  }

  /** Bytes of memtables that should now be flushed; usually 0. */
  public long excess() {
    long active = used.get() - waiting.get();
    return active <= limit / 2 ? 0 : active - limit / 4;
  }

  /** Memtables take so much more memory; less if negative. */
  void addUsed(long bytes) {
    used.addAndGet(bytes);
  }

  /** So much more of it, or less, is on its way to be flushed. */
  void addWaiting(long bytes) {
    waiting.addAndGet(bytes);
  }
}
