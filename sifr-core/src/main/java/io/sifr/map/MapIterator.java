package io.sifr.map;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over a range, weakly consistently. It reads some entries at a time, the more the further
 * it has come, and holds no cursor in between: so nothing has to be closed. An entry is as old as
 * the read that fetched it.
 *
 * @param <T> what it returns
 */
abstract class MapIterator<T> implements Iterator<T> {
  private static final int FIRST_FETCH = 8;
  private static final int MOST_FETCHED = 256;

  /** No more entries are fetched at once when their values take so many bytes. */
  private static final long MOST_BYTES = 64 << 10;

  private final Database database;
  private final MapRange range;
  private final boolean descending;
  private final boolean withValues;
  private final Queue<Fetched> fetched = new ArrayDeque<>();
  private int toFetch = FIRST_FETCH;
  private boolean isAtEnd;
  private byte @Nullable [] last;
  private byte @Nullable [] removable;

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Fetched(byte[] key, byte[] value) {}

  /**
   * @param withValues whether values are needed
   */
  MapIterator(Database database, MapRange range, boolean descending, boolean withValues) {
    this.database = database;
    this.range = range;
    this.descending = descending;
    this.withValues = withValues;
  }

  /** Makes what is returned of an entry; without values the value is empty. */
  abstract T element(byte[] key, byte[] value);

  @Override
  public boolean hasNext() {
    if (fetched.isEmpty() && !isAtEnd) {
      fetch();
    }
    return !fetched.isEmpty();
  }

  private void fetch() {
    byte[] from = last;
    KeyRange left =
        from == null
            ? range.keys()
            : descending ? range.before(from, false) : range.after(from, false);
    long bytes = 0;
    try (Cursor cursor = database.cursor(left)) {
      while (fetched.size() < toFetch && bytes < MOST_BYTES) {
        if (!(descending ? cursor.previous() : cursor.next())) {
          isAtEnd = true;
          break;
        }
        Fetched entry = new Fetched(cursor.key(), withValues ? cursor.value() : new byte[0]);
        bytes += entry.value.length;
        fetched.add(entry);
        last = entry.key;
      }
    }
    toFetch = Math.min(MOST_FETCHED, 2 * toFetch);
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Fetched next = fetched.remove();
    removable = next.key;
    return element(next.key, next.value);
  }

  /** Removes the key of the last element, whatever its value is by now. */
  @Override
  public void remove() {
    if (removable == null) {
      throw new IllegalStateException("there is no element to remove");
    }
    database.delete(removable);
    removable = null;
  }
}
