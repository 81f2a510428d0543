package io.sifr.infinispan;

import io.reactivex.rxjava3.core.Flowable;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.infinispan.commons.time.TimeService;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.infinispan.configuration.cache.HashConfiguration;
import org.infinispan.distribution.ch.KeyPartitioner;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one cache that are in its store. Its calls wait for the disk, and so do those of
 * the subscriber of what it publishes. Thread-safe.
 */
final class CacheEntries<K, V> implements AutoCloseable {
  private final SegmentedDatabase database;
  private final Marshalling<K, V> marshalling;
  private final TimeService time;
  private final KeyPartitioner partitioner;
  private final boolean isSegmented;

  /**
   * The segments of this node. A write to another one comes late and is passed over: the entry
   * belongs to other nodes by now, and would be found, old, when the segment comes back.
   */
  private final IntSet owned;

  private CacheEntries(
      SegmentedDatabase database,
      Marshalling<K, V> marshalling,
      int segments,
      InitializationContext context) {
    this.database = database;
    this.marshalling = marshalling;
    this.time = context.getTimeService();
    this.partitioner = context.getKeyPartitioner();
    this.isSegmented = segments > 0;
    this.owned = IntSets.concurrentSet(Math.max(1, segments));
    owned.addAll(IntSets.immutableRangeSet(Math.max(1, segments)));
  }

  /**
   * Opens the store. Entries that are in other segments than those of the cache are moved.
   *
   * @param segments how many the cache has; 0 if its store is to have none
   */
  static <K, V> CacheEntries<K, V> open(
      Path directory, StoreOptions options, int segments, InitializationContext context) {
    Marshalling<K, V> marshalling = new Marshalling<>(context);
    KeyPartitioner partitioner = context.getKeyPartitioner();
    SegmentedDatabase database =
        segments == 0
            ? SegmentedDatabase.open(directory, options, 0, "", key -> 0)
            : SegmentedDatabase.open(
                directory,
                options,
                segments,
                division(context.getCache().getCacheConfiguration().clustering().hash()),
                key -> partitioner.getSegment(marshalling.keyOf(key)));
    return new CacheEntries<>(database, marshalling, segments, context);
  }

  /**
   * What names the way in which keys are divided; the partitioner of the context always is a
   * delegate.
   */
  private static String division(HashConfiguration hash) {
    String partitioner = hash.keyPartitioner().getClass().getName();
    return hash.groups().enabled() ? partitioner + " by groups" : partitioner;
  }

  /** The entry of a key, {@code null} if there is none or it has expired. */
  @Nullable MarshallableEntry<K, V> load(int segment, Object key) {
    byte[] keyBytes = marshalling.key(key);
    byte[] value = database.get(own(segment), keyBytes);
    return value == null ? null : unlessExpired(keyBytes, value, time.wallClockTime());
  }

  private @Nullable MarshallableEntry<K, V> unlessExpired(byte[] key, byte[] value, long now) {
    MarshallableEntry<K, V> entry = marshalling.entry(key, value);
    return entry.isExpired(now) ? null : entry;
  }

  /** A change of one entry, not written yet. */
  interface Change {
    void addTo(WriteBatch batch);
  }

  Change put(int segment, MarshallableEntry<? extends K, ? extends V> entry) {
    byte[] key = marshalling.key(entry);
    byte[] value = marshalling.value(entry);
    long expiryTime = entry.expiryTime();
    return batch -> {
      if (owned.contains(own(segment))) {
        database.put(batch, own(segment), key, value, expiryTime);
      }
    };
  }

  Change delete(int segment, Object key) {
    byte[] keyBytes = marshalling.key(key);
    return batch -> database.delete(batch, own(segment), keyBytes);
  }

  /** Makes changes, all or none of them. */
  void write(List<Change> changes) {
    WriteBatch batch = new WriteBatch();
    changes.forEach(change -> change.addTo(batch));
    if (batch.size() > 0) {
      database.write(batch);
    }
  }

  /** The entries of segments that have not expired, as they are when this is subscribed to. */
  Flowable<MarshallableEntry<K, V>> entries(
      @Nullable IntSet segments, @Nullable Predicate<? super K> filter) {
    Predicate<? super K> wanted = wanted(segments, filter);
    return Flowable.defer(
        () -> {
          long now = time.wallClockTime();
          return Flowable.generate(
              () -> cursor(segments),
              (cursor, emitter) -> {
                MarshallableEntry<K, V> next = next(cursor, wanted, now);
                if (next == null) {
                  emitter.onComplete();
                } else {
                  emitter.onNext(next);
                }
              },
              SegmentCursor::close);
        });
  }

  private @Nullable MarshallableEntry<K, V> next(
      SegmentCursor cursor, @Nullable Predicate<? super K> wanted, long now) {
    while (cursor.next()) {
      byte[] key = cursor.key();
      if (wanted == null || wanted.test(marshalling.keyOf(key))) {
        MarshallableEntry<K, V> entry = unlessExpired(key, cursor.value(), now);
        if (entry != null) {
          return entry;
        }
      }
    }
    return null;
  }

  /** The number of entries of segments that have not expired. */
  long count(@Nullable IntSet segments) {
    long now = time.wallClockTime();
    Predicate<? super K> wanted = wanted(segments, null);
    long count = 0;
    try (SegmentCursor cursor = cursor(segments)) {
      // Read after the cursor was made: what expires is there together with the entries it sees.
      boolean isCountOfKeys = isSegmented && !database.mayExpire();
      while (isCountOfKeys ? cursor.next() : next(cursor, wanted, now) != null) {
        count++;
      }
    }
    return count;
  }

  /** About how many entries segments have; those of all of them if the store has no segments. */
  long estimatedCount(@Nullable IntSet segments) {
    return database.estimatedEntries(stored(segments));
  }

  /** Deletes entries that have expired, and publishes each. */
  Flowable<MarshallableEntry<K, V>> purgeExpired() {
    return Flowable.defer(
        () -> {
          long now = time.wallClockTime();
          return Flowable.generate(
              () -> database.expired(now),
              (cursor, emitter) -> {
                MarshallableEntry<K, V> next = purgeNext(cursor, now);
                if (next == null) {
                  emitter.onComplete();
                } else {
                  emitter.onNext(next);
                }
              },
              ExpiryCursor::close);
        });
  }

  private @Nullable MarshallableEntry<K, V> purgeNext(ExpiryCursor cursor, long now) {
    while (cursor.next()) {
      byte[] entryKey = cursor.entryKey();
      byte[] value = database.get(entryKey);
      MarshallableEntry<K, V> entry = value == null ? null : marshalling.entry(cursor.key(), value);
      boolean isExpired = entry != null && entry.isExpired(now);
      boolean isDone = database.deleteExpired(cursor.expiryKey(), entryKey, value, isExpired);
      if (isDone && isExpired) {
        return entry;
      }
    }
    return null;
  }

  /**
   * Takes over segments. Those that it did not have are empty then, also if a write came late, just
   * when they were given up.
   */
  void addSegments(IntSet segments) {
    IntSet added = IntSets.mutableCopyFrom(segments);
    added.removeAll(owned);
    database.delete(added);
    owned.addAll(added);
  }

  /** Gives up segments with all their entries. */
  void removeSegments(IntSet segments) {
    owned.removeAll(segments);
    database.delete(segments);
  }

  /** Deletes all entries. */
  void clear() {
    database.clear();
  }

  @Override
  public void close() {
    database.close();
  }

  private SegmentCursor cursor(@Nullable IntSet segments) {
    return database.cursor(stored(segments));
  }

  /** The segments in which the store has the entries of segments of the cache. */
  private IntSet stored(@Nullable IntSet segments) {
    return isSegmented && segments != null ? segments : owned;
  }

  private int own(int segment) {
    return isSegmented ? segment : 0;
  }

  /** What decides by the key; {@code null} if nothing does, so that no key need be read. */
  private @Nullable Predicate<? super K> wanted(
      @Nullable IntSet segments, @Nullable Predicate<? super K> filter) {
    if (isSegmented || segments == null) {
      return filter;
    }
    Predicate<K> isInSegments = key -> segments.contains(partitioner.getSegment(key));
    return filter == null ? isInSegments : isInSegments.and(filter);
  }
}
