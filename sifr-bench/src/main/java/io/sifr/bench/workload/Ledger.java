package io.sifr.bench.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The expected state of each entry: how often it was written, and whether the last write removed
 * it. There are two bytes per entry: one for the last write that has begun, one for the last that
 * has returned. A read may return any state between the last write returned before the read began
 * and the last write begun when the read returned.
 *
 * <p>Writes are counted modulo 128; no read lasts while an entry is written that often. Two writes
 * of one entry never run concurrently, because their order would be unknown. Thread-safe.
 */
final class Ledger {
  /** The state of an entry that was never written. */
  static final byte NEVER_WRITTEN = 0;

  private static final VarHandle BYTES = MethodHandles.arrayElementVarHandle(byte[].class);
  private static final int REMOVED = 0x80;
  private static final int COUNT_MASK = 0x7F;
  private static final int STRIPES = 1 << 10;

  private final byte[] begun;
  private final byte[] returned;
  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  Ledger(int entries) {
    begun = new byte[entries];
    returned = new byte[entries];
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantLock();
    }
  }

  /** A write of an entry to a store, given the state it leads to. */
  @FunctionalInterface
  interface Write {
    void run(byte state);
  }

  /** Writes a value of an entry. */
  void put(int entry, Write write) {
    change(entry, 0, write);
  }

  /** Removes an entry. */
  void remove(int entry, Write write) {
    change(entry, REMOVED, write);
  }

  private void change(int entry, int removed, Write write) {
    ReentrantLock stripe = stripes[entry & (STRIPES - 1)];
    stripe.lock();
    try {
      // 0 is reserved for entries that were never written.
      int count = (returned[entry] & COUNT_MASK) % COUNT_MASK + 1;
      byte next = (byte) (count | removed);
      BYTES.setRelease(begun, entry, next);
      write.run(next);
      BYTES.setRelease(returned, entry, next);
    } finally {
      stripe.unlock();
    }
  }

  /** The state of an entry after the last write that has returned. */
  byte returned(int entry) {
    return (byte) BYTES.getAcquire(returned, entry);
  }

  /** The state of an entry after the last write that has begun. */
  byte begun(int entry) {
    return (byte) BYTES.getAcquire(begun, entry);
  }

  /** Whether an entry in that state has a value. */
  static boolean isPresent(byte state) {
    return state > 0;
  }

  /** How often an entry in that state was written. */
  static int writes(byte state) {
    return state & COUNT_MASK;
  }

  /** How many writes lie between two states. */
  static int distance(byte before, byte after) {
    return Math.floorMod(writes(after) - writes(before), COUNT_MASK);
  }

  /** The state {@code further} writes later. */
  static int writesAfter(byte before, int further) {
    return (writes(before) + further - 1) % COUNT_MASK + 1;
  }

  /** The number of writes before the last one. */
  static int writesBefore(byte state) {
    return (writes(state) + COUNT_MASK - 2) % COUNT_MASK + 1;
  }

  /** Whether there is a write strictly between the two states, whose kind is unknown. */
  static boolean skips(byte before, byte after) {
    return distance(before, after) > 1;
  }
}
