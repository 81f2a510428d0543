package io.sifr.leveldb;

import io.sifr.Cursor;
import io.sifr.error.SifrException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;

/**
 * An iterator between two entries, like a {@link java.util.ListIterator}: {@link #next} returns the
 * one behind it, {@link #prev} the one before it, and both move over it. A new one is before the
 * first entry; {@link #seekToLast} moves before the last one, so that {@link #next} returns it.
 *
 * <p>Not thread-safe.
 */
final class SifrIterator implements DBIterator {
  private final Cursor cursor;

  /** Whether the cursor is at the entry behind this iterator; else there is none. */
  private boolean hasNext;

  SifrIterator(Cursor cursor) {
    this.cursor = cursor;
    this.hasNext = cursor.first();
  }

  private static boolean moved(BooleanSupplier move) {
    try {
      return move.getAsBoolean();
    } catch (IllegalStateException e) {
      throw new DBException("closed: " + e.getMessage(), e);
    } catch (SifrException e) {
      throw new DBException(e.getMessage(), e);
    }
  }

  private Map.Entry<byte[], byte[]> entry() {
    return new SimpleImmutableEntry<>(cursor.key(), cursor.value());
  }

  @Override
  public void seek(byte[] key) {
    hasNext = moved(() -> cursor.seek(key));
  }

  @Override
  public void seekToFirst() {
    hasNext = moved(cursor::first);
  }

  @Override
  public void seekToLast() {
    hasNext = moved(cursor::last);
  }

  @Override
  public boolean hasNext() {
    return hasNext;
  }

  @Override
  public Map.Entry<byte[], byte[]> peekNext() {
    if (!hasNext) {
      throw new NoSuchElementException("there is no entry behind");
    }
    return entry();
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    Map.Entry<byte[], byte[]> entry = peekNext();
    hasNext = moved(cursor::next);
    return entry;
  }

  /** Moves over the entry before it. Returns whether there is one. */
  private boolean back() {
    boolean moved = moved(hasNext ? cursor::previous : cursor::last);
    if (moved) {
      hasNext = true;
    } else if (hasNext) {
      hasNext = moved(cursor::first); // where it was
    }
    return moved;
  }

  @Override
  public boolean hasPrev() {
    boolean hasPrev = back();
    if (hasPrev) {
      hasNext = moved(cursor::next);
    }
    return hasPrev;
  }

  @Override
  public Map.Entry<byte[], byte[]> peekPrev() {
    Map.Entry<byte[], byte[]> entry = prev();
    hasNext = moved(cursor::next);
    return entry;
  }

  @Override
  public Map.Entry<byte[], byte[]> prev() {
    if (!back()) {
      throw new NoSuchElementException("there is no entry before");
    }
    return entry();
  }

  @Override
  public void remove() {
    throw new UnsupportedOperationException("an iterator removes nothing; use DB.delete");
  }

  @Override
  public void close() {
    cursor.close();
  }
}
