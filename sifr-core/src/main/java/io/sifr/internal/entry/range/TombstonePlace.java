package io.sifr.internal.entry.range;

/**
 * A source in the order of priority, a memtable or a tree, with range tombstones, which may still
 * have to be read. Thread-safe.
 */
@FunctionalInterface
public interface TombstonePlace {
  /**
   * The newest range tombstone that covers a key, for a reader at a sequence number, and for which
   * neighbours of the key the answer is alike.
   *
   * @param exactly whether it is alike only if it is the same; else also if it is another number
   *     than 0
   * @param around narrowed to such neighbours, though perhaps not to all of them; also when this
   *     throws
   * @return its sequence number: it hides smaller ones; at most {@code atMost}, or one more if no
   *     entry has that number; 0 when none covers the key
   * @throws io.sifr.error.SifrException when they cannot be read
   */
  long newestCovering(
      byte[] key, int offset, int length, long atMost, boolean exactly, KeyStretch around);
}
