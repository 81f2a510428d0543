package io.sifr.internal.entry;

import org.jspecify.annotations.Nullable;

/**
 * A place in the order of priority, a memtable or a tree, with range tombstones, which may still
 * have to be read. Thread-safe.
 */
@FunctionalInterface
public interface TombstonePlace {
  /**
   * The range tombstones among which are all that cover a key.
   *
   * @param around narrowed to neighbours of the key for which they are the same; also when this
   *     throws
   * @return null when none covers the key
   * @throws io.sifr.error.SifrException when they cannot be read
   */
  @Nullable RangeTombstones at(byte[] key, int offset, int length, KeyStretch around);
}
