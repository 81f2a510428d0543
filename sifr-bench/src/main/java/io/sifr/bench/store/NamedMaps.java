package io.sifr.bench.store;

import org.jspecify.annotations.Nullable;

/**
 * A store with many ordered maps, with its default settings. A map is known by its number, in the
 * order of the names. Used by one thread.
 */
public interface NamedMaps extends AutoCloseable {
  /** Creates a map; its name comes after those of all others. */
  void create(String name);

  /** Puts an entry into a map. */
  void put(int map, byte[] key, byte[] value);

  /** The value of a key in a map; null if there is none. */
  byte @Nullable [] get(int map, byte[] key);

  /** Writes what is in memory to tables, and waits for it. */
  void flush();

  @Override
  void close();
}
