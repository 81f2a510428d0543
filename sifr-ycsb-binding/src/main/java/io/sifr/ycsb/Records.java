package io.sifr.ycsb;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store of the records of all tables. Thread-safe. */
interface Records extends AutoCloseable {
  /** A record, {@code null} if there is none. */
  byte @Nullable [] read(String table, String key);

  /** Writes a record, whether there is one or not. */
  void insert(String table, String key, byte[] record);

  /**
   * Changes a record, atomically with respect to other changes of the same one.
   *
   * @param change gives the new record for the old one; it may be called more than once
   * @return whether there was one
   */
  boolean update(String table, String key, UnaryOperator<byte[]> change);

  /** Deletes a record, if there is one. */
  void delete(String table, String key);

  /**
   * Reads records in the order of their keys.
   *
   * @param from key of the first
   * @param count how many at most
   * @throws UnsupportedOperationException if records have no order
   */
  void scan(String table, String from, int count, Consumer<byte[]> reader);

  @Override
  void close();
}
