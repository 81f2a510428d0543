package io.sifr.internal.engine.read;

import io.netty.buffer.ByteBuf;

/**
 * The operations of a cursor, see {@code io.sifr.Cursor}: over one view of a database, or with the
 * writes of a transaction on top. Not thread-safe.
 */
public interface EntryCursor extends AutoCloseable {
  /** Moves to the first entry of the range. */
  boolean first();

  /** Moves to the last entry of the range. */
  boolean last();

  /** Moves to the first entry at or after the key. */
  boolean seek(byte[] target);

  /** Moves to the last entry before the key. */
  boolean seekBefore(byte[] target);

  /** Moves to the next entry. */
  boolean next();

  /** Moves to the previous entry. */
  boolean previous();

  boolean isValid();

  /** A copy of the key. */
  byte[] key();

  /** A copy of the value. */
  byte[] value();

  /** Bytes of the value. */
  int valueLength();

  /**
   * When the value expires, in milliseconds since the epoch; {@link
   * io.sifr.internal.entry.ExpiringKind#NEVER}, also if that is not known yet.
   */
  long due();

  /** Appends the key to a buffer, if it has room for it. Returns the bytes of the key. */
  int copyKey(ByteBuf target);

  /** Appends the value to a buffer, if it has room for it. Returns the bytes of the value. */
  int copyValue(ByteBuf target);

  /**
   * Moves on to the present, and before the first entry.
   *
   * @throws IllegalStateException when it reads at a snapshot
   */
  void refresh();

  @Override
  void close();
}
