package io.sifr.kafka.streams;

import io.sifr.Database;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * Entries of segments, one after the other, in each in the order of their times, and then of their
 * keys. It holds the keys of one segment in memory, and reads a value when the entry is next. Only
 * for the task.
 */
final class TimeOrderIterator implements KeyValueIterator<Bytes, byte[]> {
  private final Iterator<Database> databases;
  private final Predicate<byte[]> filter;
  private final SegmentedStore store;

  private Iterator<byte[]> keys = Collections.emptyIterator();
  private @Nullable Database database;
  private @Nullable KeyValue<Bytes, byte[]> next;
  private boolean isClosed;

  /**
   * An iterator.
   *
   * @param databases in the order of time
   * @param filter which keys to return
   */
  TimeOrderIterator(List<Database> databases, Predicate<byte[]> filter, SegmentedStore store) {
    this.databases = databases.iterator();
    this.filter = filter;
    this.store = store;
  }

  @Override
  public boolean hasNext() {
    if (isClosed) {
      throw new InvalidStateStoreException("The iterator is closed");
    }
    View view = store.view();
    while (next == null) {
      if (database != null && keys.hasNext()) {
        byte[] key = keys.next();
        Database segment = database;
        byte[] value = store.unlessDropped(() -> view.get(segment, key));
        next = value == null ? null : KeyValue.pair(Bytes.wrap(key), value);
      } else if (databases.hasNext()) {
        database = databases.next();
        keys = keysOf(view, database).iterator();
      } else {
        return false;
      }
    }
    return true;
  }

  private List<byte[]> keysOf(View view, Database segment) {
    List<byte[]> found = new ArrayList<>();
    try (MergedCursor cursor = view.cursor(segment, KeySpan.all())) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (filter.test(key)) {
          found.add(key);
        }
      }
    }
    found.sort(
        Comparator.<byte[]>comparingLong(store::timeOf).thenComparing(Arrays::compareUnsigned));
    return found;
  }

  @Override
  public Bytes peekNextKey() {
    return requireNext().key;
  }

  @Override
  public KeyValue<Bytes, byte[]> next() {
    KeyValue<Bytes, byte[]> found = requireNext();
    next = null;
    return found;
  }

  private KeyValue<Bytes, byte[]> requireNext() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    return next;
  }

  @Override
  public void close() {
    isClosed = true;
    next = null;
  }
}
