package io.sifr.bench.store;

import org.jspecify.annotations.Nullable;

/**
 * An open store, as far as every peer can offer it. All calls but {@link #close} are safe for any
 * thread. Whatever a store throws reaches the caller unchecked, wrapped where it was checked.
 */
public interface BenchStore extends AutoCloseable {
  /** Receives the entries of a scan, in key order. The arrays are the visitor's to keep. */
  @FunctionalInterface
  interface EntryVisitor {
    /** One entry. */
    void visit(byte[] key, byte[] value);
  }

  /** Stores a value, with the durability the store was opened with. */
  void put(byte[] key, byte[] value);

  /** Removes a key, present or not. */
  void delete(byte[] key);

  /** The newest value of a key, or null. */
  byte @Nullable [] get(byte[] key);

  /**
   * Visits up to {@code limit} entries in ascending order (unsigned bytes) from the first key not
   * less than {@code from}, all of one moment. Returns how many there were.
   */
  int scan(byte[] from, int limit, EntryVisitor visitor);

  /**
   * Writes to disk what is only in memory and returns when no background work is left that the
   * writes so far have caused.
   */
  void drain();

  /** What the store tells of itself. */
  StoreFigures figures();

  /** Closes the store, nothing acknowledged being lost. No other call may be under way. */
  @Override
  void close();
}
