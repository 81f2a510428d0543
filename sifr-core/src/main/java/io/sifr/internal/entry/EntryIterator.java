package io.sifr.internal.entry;

import java.nio.ByteBuffer;

/**
 * A walk over entries in internal order, in both directions. It stands on an entry or on none
 * ({@link #valid}); a new one stands on none. Moves return whether it stands on an entry
 * afterwards.
 *
 * <p>The key is always a stretch of a byte array, the value is copied or viewed on demand: a merge
 * that drops an entry never touches its value. Arrays and buffers handed out belong to the
 * iterator, are not to be changed, and are good until its next move. Not thread-safe.
 */
public interface EntryIterator extends AutoCloseable {
  /** Moves to the first entry of all. */
  boolean seekToFirst();

  /** Moves to the last entry of all. */
  boolean seekToLast();

  /**
   * Moves to the first entry at or behind (key, trailer) in internal order: with {@link
   * Trailer#seek} the newest version of the key that a reader at that sequence may see, or else the
   * next entry behind it.
   */
  boolean seek(byte[] key, int offset, int length, long trailer);

  /**
   * Moves to the last entry whose user key is smaller than {@code key}: the oldest version of the
   * key before it.
   */
  boolean seekBefore(byte[] key, int offset, int length);

  /** Whether it can be led there without I/O, as far as is known. */
  default boolean isInMemory(SeekTarget to) {
    return true;
  }

  /** Moves to the next entry. Only when {@link #valid}. */
  boolean next();

  /** Moves to the entry before. Only when {@link #valid}. */
  boolean previous();

  /** Whether the iterator stands on an entry; all accessors below need it. */
  boolean valid();

  /** Array that holds the user key at {@link #keyOffset} with {@link #keyLength}. */
  byte[] keyArray();

  /** Where in {@link #keyArray} the user key begins. */
  int keyOffset();

  /** Bytes of the user key. */
  int keyLength();

  /** Sequence number and kind, see {@link Trailer}. */
  long trailer();

  /** Bytes of the value; 0 for a tombstone. */
  int valueLength();

  /** Copies the whole value to {@code target} from {@code offset} on. */
  void copyValue(byte[] target, int offset);

  /**
   * The value as a read-only view, position 0 to limit. Costs an object; bulk work uses {@link
   * #copyValue}.
   */
  ByteBuffer value();

  /** Gives back what the iterator holds on to. It can be called more than once. */
  @Override
  void close();
}
