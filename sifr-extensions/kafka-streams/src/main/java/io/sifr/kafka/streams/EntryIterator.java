package io.sifr.kafka.streams;

import io.sifr.Database;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a range of keys, of one database after the other, in either direction. It reads a
 * value only when it returns the entry.
 *
 * <p>A database that is dropped meanwhile, because it is past its time, has no more entries. Not
 * thread-safe, like any iterator of Kafka Streams.
 */
final class EntryIterator implements KeyValueIterator<Bytes, byte[]> {
  private final Iterator<Database> databases;
  private final KeySpan span;
  private final View view;
  private final boolean isForward;
  private final Predicate<byte[]> filter;
  private final SifrStateStore store;

  private @Nullable MergedCursor cursor;

  /** The key that the cursor is at, if it was not returned yet. */
  private byte @Nullable [] key;

  private boolean isClosed;

  /**
   * An iterator.
   *
   * @param databases in the order in which they are read
   * @param filter which keys of the range to return
   * @param store the state store that they belong to
   */
  EntryIterator(
      List<Database> databases,
      KeySpan span,
      boolean isForward,
      Predicate<byte[]> filter,
      SifrStateStore store) {
    this.databases = databases.iterator();
    this.span = span;
    this.view = store.view();
    this.isForward = isForward;
    this.filter = filter;
    this.store = store;
  }

  @Override
  public boolean hasNext() {
    return nextKey() != null;
  }

  @Override
  public Bytes peekNextKey() {
    return Bytes.wrap(requireNext());
  }

  @Override
  public KeyValue<Bytes, byte[]> next() {
    while (true) {
      byte[] found = requireNext();
      byte[] value = valueAtCursor();
      key = null;
      if (value != null) {
        return KeyValue.pair(Bytes.wrap(found), value);
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    key = null;
    closeCursor();
  }

  private byte[] requireNext() {
    byte[] found = nextKey();
    if (found == null) {
      throw new NoSuchElementException();
    }
    return found;
  }

  private byte @Nullable [] nextKey() {
    if (isClosed) {
      throw new InvalidStateStoreException("The iterator is closed");
    }
    store.requireOpen();
    while (key == null && hasCursor()) {
      key = nextKeyOfCursor();
      if (key == null) {
        closeCursor();
      }
    }
    return key;
  }

  private boolean hasCursor() {
    while (cursor == null && databases.hasNext()) {
      Database database = databases.next();
      cursor = store.unlessDropped(() -> view.cursor(database, span));
    }
    return cursor != null;
  }

  private byte @Nullable [] nextKeyOfCursor() {
    return store.unlessDropped(
        () -> {
          MergedCursor at = Objects.requireNonNull(cursor);
          while (isForward ? at.next() : at.previous()) {
            byte[] found = at.key();
            if (filter.test(found)) {
              return found;
            }
          }
          return null;
        });
  }

  private byte @Nullable [] valueAtCursor() {
    byte[] value = store.unlessDropped(() -> Objects.requireNonNull(cursor).value());
    if (value == null) {
      closeCursor();
    }
    return value;
  }

  private void closeCursor() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }
}
