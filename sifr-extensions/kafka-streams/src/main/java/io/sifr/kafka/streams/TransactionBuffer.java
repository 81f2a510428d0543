package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.WriteBatch;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a transaction that is not committed yet, of one state store: the last one of each
 * key. They are on the heap alone, so that a killed process, or a task that is closed because of an
 * error, leaves nothing of them.
 *
 * <p>The task writes, commits and forgets; any thread may read meanwhile. A reader looks here
 * first, and then into the store, where what was committed is found before it is forgotten here. So
 * no write is missed by a reader, and none is seen before an older one of its key.
 */
final class TransactionBuffer implements Writes {
  /** About as much as an entry takes beside its key and its value. */
  private static final long ENTRY_BYTES = 100;

  private final AtomicLong bytes = new AtomicLong();

  /** Takes each write once, so that one which a commit could not write is refused at once. */
  private final WriteBatch check = new WriteBatch();

  /** By the name of the database. Another map after each commit: iterators keep theirs. */
  private volatile Map<String, OfDatabase> writes = new ConcurrentHashMap<>();

  /** A write: a value, or that there is none. */
  static final class Write {
    private final byte @Nullable [] value;
    private final @Nullable Duration expireAfter;

    Write(byte @Nullable [] value, @Nullable Duration expireAfter) {
      this.value = value == null ? null : value.clone();
      this.expireAfter = expireAfter;
    }

    boolean isDelete() {
      return value == null;
    }

    /** A copy of the value, null if the key was deleted. */
    byte @Nullable [] value() {
      return value == null ? null : value.clone();
    }

    private long bytes(byte[] key) {
      return ENTRY_BYTES + key.length + (value == null ? 0 : value.length);
    }
  }

  private record OfDatabase(Database database, NavigableMap<byte[], Write> byKey) {}

  @Override
  public void put(
      Database database, byte[] key, byte @Nullable [] value, @Nullable Duration expireAfter) {
    Writes.into(check).put(database, key, value, expireAfter);
    check.clear();
    Write write = new Write(value, expireAfter);
    Write before =
        writes
            .computeIfAbsent(
                database.name(),
                name ->
                    new OfDatabase(database, new ConcurrentSkipListMap<>(Arrays::compareUnsigned)))
            .byKey()
            .put(key.clone(), write);
    bytes.addAndGet(write.bytes(key) - (before == null ? 0 : before.bytes(key)));
  }

  /** The last write of a key, null if there is none. */
  @Nullable Write find(Database database, byte[] key) {
    OfDatabase known = writes.get(database.name());
    return known == null ? null : known.byKey().get(key);
  }

  /** The writes of a range as they are now, by key, in the order of the store. */
  NavigableMap<byte[], Write> copy(Database database, KeySpan span) {
    NavigableMap<byte[], Write> copy = new TreeMap<>(Arrays::compareUnsigned);
    OfDatabase known = writes.get(database.name());
    if (known != null) {
      for (Map.Entry<byte[], Write> entry : span.startingIn(known.byKey()).entrySet()) {
        if (!span.range().contains(entry.getKey())) {
          break;
        }
        copy.put(entry.getKey(), entry.getValue());
      }
    }
    return copy;
  }

  /** How many keys of a database were written to. */
  int size(Database database) {
    OfDatabase known = writes.get(database.name());
    return known == null ? 0 : known.byKey().size();
  }

  /** About the bytes of memory that all writes take. */
  long bytes() {
    return bytes.get();
  }

  /** Adds all writes to others. */
  void addTo(Writes target) {
    for (OfDatabase each : writes.values()) {
      each.byKey()
          .forEach(
              (key, write) -> target.put(each.database(), key, write.value, write.expireAfter));
    }
  }

  /** Forgets the writes of a database that is dropped. */
  void forget(Database database) {
    OfDatabase known = writes.remove(database.name());
    if (known != null) {
      known.byKey().forEach((key, write) -> bytes.addAndGet(-write.bytes(key)));
    }
  }

  /** Forgets all writes. */
  void clear() {
    writes = new ConcurrentHashMap<>();
    bytes.set(0);
  }
}
