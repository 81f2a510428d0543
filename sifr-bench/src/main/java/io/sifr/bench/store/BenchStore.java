package io.sifr.bench.store;

import org.jspecify.annotations.Nullable;

/**
 * An open store, with the operations that all stores support. All methods except {@link #close} are
 * thread-safe. Exceptions of a store are unchecked, or wrapped in unchecked ones.
 */
public interface BenchStore extends AutoCloseable {
  /** Receives the entries of a scan, in key order. The visitor may keep the arrays. */
  @FunctionalInterface
  interface EntryVisitor {
    /** One entry. */
    void visit(byte[] key, byte[] value);
  }

  /** Stores a value, with the durability the store was opened with. */
  void put(byte[] key, byte[] value);

  /** Removes a key, present or not. */
  void delete(byte[] key);

  /**
   * Removes all keys from the first to the second, which is excluded.
   *
   * @throws UnsupportedOperationException when the store cannot; see {@link
   *     StoreKind#deletesRanges}
   */
  default void deleteRange(byte[] from, byte[] to) {
    throw new UnsupportedOperationException("this store has no range delete");
  }

  /**
   * Compacts all keys from the first to the second, which is excluded; for stores that delete
   * ranges.
   *
   * @throws UnsupportedOperationException when the store cannot
   */
  default void compactRange(byte[] from, byte[] to) {
    throw new UnsupportedOperationException("this store has no range delete");
  }

  /** The newest value of a key, or null. */
  byte @Nullable [] get(byte[] key);

  /**
   * Visits up to {@code limit} entries in ascending order (unsigned bytes) from the first key not
   * less than {@code from}, from one consistent state. Returns how many there were.
   */
  int scan(byte[] from, int limit, EntryVisitor visitor);

  /**
   * Flushes memory to disk and returns when the background work caused by all writes so far is
   * done.
   */
  void drain();

  /** The store's own statistics. */
  StoreFigures figures();

  /** Closes the store without losing acknowledged writes. No other call may be under way. */
  @Override
  void close();
}
