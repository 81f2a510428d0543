package io.sifr.kafka.streams;

import io.sifr.Cursor;
import io.sifr.kafka.streams.TransactionBuffer.Write;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over what a database has and what a transaction has written beside it, which replaces
 * it. Like a {@link Cursor} it sees one state, is before its first entry when it is new, and is not
 * thread-safe.
 */
final class MergedCursor implements AutoCloseable {
  private final Cursor stored;
  private final NavigableMap<byte[], Write> written;

  /** The key that it is at, or passed last; null before the first entry and after the last. */
  private byte @Nullable [] key;

  /** The value of the key, unless the key is that of {@link #stored}. */
  private @Nullable Write write;

  /** The next key of {@link #stored} in {@link #direction}, null if there is none. */
  private byte @Nullable [] nextStored;

  private @Nullable Direction direction;

  /**
   * A cursor.
   *
   * @param written by key, in the order of the store; of the range of the other alone
   */
  MergedCursor(Cursor stored, NavigableMap<byte[], Write> written) {
    this.stored = stored;
    this.written = written;
  }

  private enum Direction {
    FORWARD,
    BACKWARD
  }

  /** Moves to the next entry; on a new cursor to the first. Returns whether there is one. */
  boolean next() {
    return written.isEmpty() ? stored.next() : step(Direction.FORWARD);
  }

  /** Moves to the previous entry; on a new cursor to the last. Returns whether there is one. */
  boolean previous() {
    return written.isEmpty() ? stored.previous() : step(Direction.BACKWARD);
  }

  /** Moves to the first entry. Returns whether there is one. */
  boolean first() {
    if (written.isEmpty()) {
      return stored.first();
    }
    moveTo(null);
    return step(Direction.FORWARD);
  }

  /** Moves to the last entry. Returns whether there is one. */
  boolean last() {
    if (written.isEmpty()) {
      return stored.last();
    }
    moveTo(null);
    return step(Direction.BACKWARD);
  }

  /** Moves to the last entry before a key. Returns whether there is one. */
  boolean seekBefore(byte[] bound) {
    if (written.isEmpty()) {
      return stored.seekBefore(bound);
    }
    moveTo(bound);
    return step(Direction.BACKWARD);
  }

  /** A copy of the key that it is at. */
  byte[] key() {
    return written.isEmpty() ? stored.key() : Objects.requireNonNull(key).clone();
  }

  /** A copy of the value that it is at. */
  byte[] value() {
    return write == null ? stored.value() : Objects.requireNonNull(write.value());
  }

  @Override
  public void close() {
    stored.close();
  }

  private void moveTo(byte @Nullable [] bound) {
    key = bound;
    write = null;
    direction = null;
  }

  private boolean step(Direction to) {
    if (direction != to) {
      direction = to;
      nextStored = storedFrom(key);
    } else if (write == null && key != null) {
      nextStored = storedAfter();
    }
    while (true) {
      Map.Entry<byte[], Write> nextWritten = writtenFrom(key);
      int order = order(nextStored, nextWritten);
      if (order < 0) {
        key = nextStored;
        write = null;
        return true;
      }
      if (nextWritten == null) {
        key = null;
        write = null;
        direction = null;
        return false;
      }
      key = nextWritten.getKey();
      if (order == 0) {
        nextStored = storedAfter();
      }
      if (!nextWritten.getValue().isDelete()) {
        write = nextWritten.getValue();
        return true;
      }
    }
  }

  /** Negative if the stored key comes first, positive if the written one does, or both are none. */
  private int order(byte @Nullable [] storedKey, Map.@Nullable Entry<byte[], Write> other) {
    if (storedKey == null) {
      return 1;
    }
    if (other == null) {
      return -1;
    }
    int order = Arrays.compareUnsigned(storedKey, other.getKey());
    return direction == Direction.FORWARD ? order : -order;
  }

  private byte @Nullable [] storedFrom(byte @Nullable [] bound) {
    boolean isThere;
    if (direction == Direction.FORWARD) {
      isThere = bound == null ? stored.first() : stored.seek(bound);
      if (isThere && bound != null && Arrays.equals(stored.key(), bound)) {
        isThere = stored.next();
      }
    } else {
      isThere = bound == null ? stored.last() : stored.seekBefore(bound);
    }
    return isThere ? stored.key() : null;
  }

  private byte @Nullable [] storedAfter() {
    boolean isThere = direction == Direction.FORWARD ? stored.next() : stored.previous();
    return isThere ? stored.key() : null;
  }

  private Map.@Nullable Entry<byte[], Write> writtenFrom(byte @Nullable [] bound) {
    if (direction == Direction.FORWARD) {
      return bound == null ? written.firstEntry() : written.higherEntry(bound);
    }
    return bound == null ? written.lastEntry() : written.lowerEntry(bound);
  }
}
