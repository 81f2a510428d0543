package io.sifr.leveldb;

import static io.sifr.leveldb.SifrDB.call;
import static io.sifr.leveldb.SifrDB.run;

import io.sifr.Cursor;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import java.util.NoSuchElementException;
import org.iq80.leveldb.DBIterator;

/**
 * An iterator between two entries, like a {@link java.util.ListIterator}: {@link #next} returns the
 * one after it, {@link #prev} the one before it, and both move over it. A new one is before the
 * first entry; {@link #seekToLast} moves before the last one, so that {@link #next} returns it.
 *
 * <p>Not thread-safe.
 */
final class SifrIterator implements DBIterator {
  /** At the entry after this iterator; at none, if there is none. */
  private final Cursor cursor;

  SifrIterator(Cursor cursor) {
    this.cursor = cursor;
    cursor.first();
  }

  private Map.Entry<byte[], byte[]> entry() {
    return call(() -> new SimpleImmutableEntry<>(cursor.key(), cursor.value()));
  }

  @Override
  public void seek(byte[] key) {
    run(() -> cursor.seek(key));
  }

  @Override
  public void seekToFirst() {
    run(cursor::first);
  }

  @Override
  public void seekToLast() {
    run(cursor::last);
  }

  @Override
  public boolean hasNext() {
    return call(cursor::isValid);
  }

  @Override
  public Map.Entry<byte[], byte[]> peekNext() {
    if (!hasNext()) {
      throw new NoSuchElementException("there is no entry behind");
    }
    return entry();
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    Map.Entry<byte[], byte[]> entry = peekNext();
    run(cursor::next);
    return entry;
  }

  /** Moves over the entry before it. Returns whether there is one. */
  private boolean back() {
    boolean hasNext = hasNext();
    boolean moved = call(hasNext ? cursor::previous : cursor::last);
    if (!moved && hasNext) {
      run(cursor::first); // where it was
    }
    return moved;
  }

  @Override
  public boolean hasPrev() {
    boolean hasPrev = back();
    if (hasPrev) {
      run(cursor::next);
    }
    return hasPrev;
  }

  @Override
  public Map.Entry<byte[], byte[]> peekPrev() {
    Map.Entry<byte[], byte[]> entry = prev();
    run(cursor::next);
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
