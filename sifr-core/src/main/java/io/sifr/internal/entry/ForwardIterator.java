package io.sifr.internal.entry;

import java.nio.ByteBuffer;

/**
 * Entries in internal order, from the first to the last: all that a flush, a compaction or a
 * salvage needs. An iterator is positioned on an entry or invalid ({@link #valid}); a new one is
 * invalid. Moves return whether it is valid afterwards.
 *
 * <p>The key is always a range of a byte array, the value is copied or viewed on demand: a
 * compaction that drops an entry never touches its value. Returned arrays and buffers belong to the
 * iterator, must not be changed, and are valid until its next move. Not thread-safe.
 */
public interface ForwardIterator extends AutoCloseable {
  /** Moves to the first entry of all. */
  boolean seekToFirst();

  /** Moves to the next entry. Only when {@link #valid}. */
  boolean next();

  /** Whether the iterator is positioned on an entry, as all accessors below require. */
  boolean valid();

  /** Array that holds the user key at {@link #keyOffset} with {@link #keyLength}. */
  byte[] keyArray();

  /** Where in {@link #keyArray} the user key begins. */
  int keyOffset();

  /** Length of the user key. */
  int keyLength();

  /** Sequence number and kind, see {@link Trailer}. */
  long trailer();

  /** Length of the value; 0 for a tombstone. */
  int valueLength();

  /** Copies the whole value to {@code target} from {@code offset} on. */
  void copyValue(byte[] target, int offset);

  /**
   * The value as a read-only view, position 0 to limit. Costs an object; bulk work uses {@link
   * #copyValue}.
   */
  ByteBuffer value();

  /** Releases the iterator's resources. Idempotent. */
  @Override
  void close();
}
