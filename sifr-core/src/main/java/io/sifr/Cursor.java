package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.internal.engine.CursorHandle;

/**
 * A walk over a range of a database, in both directions, that sees one state of it however long it
 * takes. A new cursor stands before its first entry: {@link #next} leads to it, {@link #previous}
 * to the last.
 *
 * <pre>{@code
 * try (Cursor cursor = database.cursor(KeyRange.prefix(prefix))) {
 *   while (cursor.next()) {
 *     use(cursor.key(), cursor.value());
 *   }
 * }
 * }</pre>
 *
 * <p>Close it: it keeps the versions it can see on disk, and a few files. One that becomes
 * unreachable without being closed is closed by the garbage collector, with a warning in the log.
 * Not thread-safe. Every method but {@link #close} throws {@link IllegalStateException} when the
 * cursor or its store was closed or its database dropped.
 */
public final class Cursor implements AutoCloseable {
  private final CursorHandle handle;

  Cursor(CursorHandle handle) {
    this.handle = handle;
  }

  /** Moves to the first entry of the range. Returns whether there is one. */
  @CanIgnoreReturnValue
  public boolean first() {
    return handle.first();
  }

  /** Moves to the last entry of the range. Returns whether there is one. */
  @CanIgnoreReturnValue
  public boolean last() {
    return handle.last();
  }

  /**
   * Moves to the first entry of the range at or behind {@code key}. Returns whether there is one.
   */
  @CanIgnoreReturnValue
  public boolean seek(byte[] key) {
    return handle.seek(Arguments.notNull("key", key));
  }

  /** Moves to the last entry of the range before {@code key}. Returns whether there is one. */
  @CanIgnoreReturnValue
  public boolean seekBefore(byte[] key) {
    return handle.seekBefore(Arguments.notNull("key", key));
  }

  /**
   * Moves to the next entry; from before the first to the first, and on a new cursor as well.
   * Returns whether there is one; when there is none the cursor stands behind the last, from where
   * {@link #previous} leads back.
   */
  @CanIgnoreReturnValue
  public boolean next() {
    return handle.next();
  }

  /**
   * Moves to the entry before; from behind the last, and on a new cursor, to the last. Returns
   * whether there is one; when there is none the cursor stands before the first, from where {@link
   * #next} leads back.
   */
  @CanIgnoreReturnValue
  public boolean previous() {
    return handle.previous();
  }

  /** Whether the cursor stands on an entry. */
  public boolean isValid() {
    return handle.isValid();
  }

  /** A copy of the key. Only when {@link #isValid}. */
  public byte[] key() {
    return handle.key();
  }

  /** A copy of the value. Only when {@link #isValid}. */
  public byte[] value() {
    return handle.value();
  }

  /** Bytes of the value. Only when {@link #isValid}. */
  public int valueLength() {
    return handle.valueLength();
  }

  /** Appends the key to a buffer of the caller's. Only when {@link #isValid}. */
  public void copyKey(ByteBuf target) {
    handle.copyKey(Arguments.notNull("target", target));
  }

  /** Appends the value to a buffer of the caller's. Only when {@link #isValid}. */
  public void copyValue(ByteBuf target) {
    handle.copyValue(Arguments.notNull("target", target));
  }

  /** Gives back what the cursor holds. It can be called more than once. */
  @Override
  public void close() {
    handle.close();
  }
}
