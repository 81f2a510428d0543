package io.sifr.internal.entry;

import java.nio.ByteBuffer;

/**
 * Entries in internal order, from the first to the last: all that a flush, a merge or a salvage
 * needs. It stands on an entry or on none ({@link #valid}); a new one stands on none. Moves return
 * whether it stands on an entry afterwards.
 *
 * <p>The key is always a range of a byte array, the value is copied or viewed on demand: a merge
 * that drops an entry never touches its value. Arrays and buffers handed out belong to the
 * iterator, are not to be changed, and are good until its next move. Not thread-safe.
 */
public interface ForwardIterator extends AutoCloseable {
  /** Moves to the first entry of all. */
  boolean seekToFirst();

  /** Moves to the next entry. Only when {@link #valid}. */
  boolean next();

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
