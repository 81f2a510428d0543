package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.engine.index.IndexCursorHandle;

/**
 * Iterates over the entries of a database in the order of an {@link Index}, those with one index
 * key in the order of their keys, in both directions. It sees one state of the database however
 * long that takes. A new cursor is before its first entry: {@link #next} moves to it, {@link
 * #previous} to the last.
 *
 * <p>Each step reads the entry that the index names, as a get does. Close it, as a {@link Cursor}.
 * Not thread-safe. Every method except {@link #close} throws {@link IllegalStateException} when the
 * cursor or its store was closed, its database or index dropped, or the index emptied to be built
 * again; and {@link io.sifr.error.IndexExtractorException} when the extractor fails.
 */
public final class IndexCursor implements AutoCloseable {
  private final IndexCursorHandle handle;

  IndexCursor(IndexCursorHandle handle) {
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
   * Moves to the first entry of the range with that index key, or a larger one. Returns whether
   * there is one.
   */
  @CanIgnoreReturnValue
  public boolean seek(byte[] indexKey) {
    return handle.seek(Arguments.notNull("indexKey", indexKey));
  }

  /**
   * Moves to the last entry of the range with a smaller index key. Returns whether there is one.
   */
  @CanIgnoreReturnValue
  public boolean seekBefore(byte[] indexKey) {
    return handle.seekBefore(Arguments.notNull("indexKey", indexKey));
  }

  /**
   * Moves to the next entry; on a new cursor, or from before the first entry, to the first. Returns
   * whether there is one.
   */
  @CanIgnoreReturnValue
  public boolean next() {
    return handle.next();
  }

  /**
   * Moves to the previous entry; on a new cursor, or from after the last entry, to the last.
   * Returns whether there is one.
   */
  @CanIgnoreReturnValue
  public boolean previous() {
    return handle.previous();
  }

  /** Whether the cursor stands on an entry. */
  public boolean isValid() {
    return handle.isValid();
  }

  /** A copy of the index key by which the entry is found. Only when {@link #isValid}. */
  public byte[] indexKey() {
    return handle.indexKey();
  }

  /** A copy of the key of the entry. Only when {@link #isValid}. */
  public byte[] key() {
    return handle.key();
  }

  /** A copy of the value of the entry. Only when {@link #isValid}. */
  public byte[] value() {
    return handle.value();
  }

  /** Releases what the cursor holds. It can be called more than once. */
  @Override
  public void close() {
    handle.close();
  }
}
