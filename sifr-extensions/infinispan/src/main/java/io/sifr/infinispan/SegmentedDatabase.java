package io.sifr.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Resources;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import java.util.function.ToIntFunction;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.util.IntSet;
import org.jspecify.annotations.Nullable;

/**
 * Entries by segment in a Sifr store. The key of an entry begins with the number of its segment, so
 * a segment is a range of keys: it is read without reading others, and given up by one range
 * delete.
 *
 * <p>A second database has, for each entry that expires, a key that begins with the time when it
 * does. It is written in the same batch as the entry, so what has expired is found without a search
 * for it. Of an entry that is overwritten or deleted the old one stays until its time; therefore
 * what is found there is compared with the entry.
 *
 * <p>Thread-safe.
 */
final class SegmentedDatabase implements AutoCloseable {
  private static final String ENTRIES = "entries";
  private static final String EXPIRY = "expiry";
  private static final String BOOKKEEPING = "infinispan";
  private static final byte[] SEGMENTS = "segments".getBytes(UTF_8);

  /** The segments of a store in which some entries may not have been moved yet. */
  private static final byte[] MOVING = "moving".getBytes(UTF_8);

  private final Resources resources;
  private final Store store;
  private final Database entries;
  private final Database expiry;

  private SegmentedDatabase(Resources resources, Store store) {
    this.resources = resources;
    this.store = store;
    this.entries = store.openOrCreateDatabase(ENTRIES);
    this.expiry = store.openOrCreateDatabase(EXPIRY);
  }

  /**
   * Opens the store of a directory, or makes one. The entries of a store that was filled with other
   * segments are moved first.
   *
   * @param segments how many there are, and {@code partitioner} which, by a name
   * @param segmentOf the segment of a key
   * @throws CacheConfigurationException when there are too many of them
   */
  static SegmentedDatabase open(
      Path directory,
      StoreOptions options,
      int segments,
      String partitioner,
      ToIntFunction<byte[]> segmentOf) {
    if (segments > EntryKeys.MOST_SEGMENTS) {
      throw new CacheConfigurationException(
          "A sifr-store has at most " + EntryKeys.MOST_SEGMENTS + " segments, not " + segments);
    }
    Resources resources = Resources.ofProcess(options);
    try {
      Store store =
          Store.builder(directory).options(options.withoutShared()).resources(resources).open();
      try {
        SegmentedDatabase database = new SegmentedDatabase(resources, store);
        database.moveEntries((segments + " " + partitioner).getBytes(UTF_8), segmentOf);
        return database;
      } catch (RuntimeException e) {
        store.close();
        throw e;
      }
    } catch (RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  /**
   * Moves the entries unless they are in the given segments. Whatever the store's durability, a
   * crash keeps what is written down here before what follows it, so an unfinished move is noticed.
   */
  private void moveEntries(byte[] segments, ToIntFunction<byte[]> segmentOf) {
    Database bookkeeping = store.openOrCreateDatabase(BOOKKEEPING);
    byte[] written = bookkeeping.get(SEGMENTS);
    if (Arrays.equals(written, segments)) {
      return;
    }
    if (written != null) {
      bookkeeping.put(SEGMENTS, MOVING, WriteOptions.BUFFERED);
      SegmentMove move = new SegmentMove(store, segmentOf);
      move.run(entries, EntryKeys.SEGMENT_IN_ENTRY);
      move.run(expiry, EntryKeys.SEGMENT_IN_EXPIRY);
    }
    bookkeeping.put(SEGMENTS, segments, WriteOptions.BUFFERED);
  }

  /** The value of a key, {@code null} if there is none. */
  byte @Nullable [] get(int segment, byte[] key) {
    return entries.get(EntryKeys.ofEntry(segment, key));
  }

  /** Adds a put of an entry to a batch; {@code expiryTime} is negative if it does not expire. */
  void put(WriteBatch batch, int segment, byte[] key, byte[] value, long expiryTime) {
    byte[] entryKey = EntryKeys.ofEntry(segment, key);
    batch.put(entries, entryKey, value);
    if (expiryTime >= 0) {
      batch.put(expiry, EntryKeys.ofExpiry(expiryTime, entryKey), new byte[0]);
    }
  }

  /** Adds the delete of a key to a batch. */
  void delete(WriteBatch batch, int segment, byte[] key) {
    batch.delete(entries, EntryKeys.ofEntry(segment, key));
  }

  /** Writes a batch, as durably as the options say. */
  void write(WriteBatch batch) {
    store.write(batch);
  }

  /** Deletes all entries of segments. */
  void delete(IntSet segments) {
    WriteBatch batch = new WriteBatch();
    PrimitiveIterator.OfInt each = segments.iterator();
    int first = -1;
    int end = -1;
    while (each.hasNext()) {
      int segment = each.nextInt();
      if (segment != end) {
        deleteSegments(batch, first, end);
        first = segment;
      }
      end = segment + 1;
    }
    deleteSegments(batch, first, end);
    store.write(batch);
  }

  private void deleteSegments(WriteBatch batch, int first, int end) {
    if (first >= 0 && entries.firstEntry(EntryKeys.ofSegments(first, end)) != null) {
      batch.deleteRange(entries, EntryKeys.ofSegments(first, end));
    }
  }

  /** Deletes all entries. */
  void clear() {
    store.write(
        new WriteBatch().deleteRange(entries, KeyRange.all()).deleteRange(expiry, KeyRange.all()));
  }

  /** A cursor over the entries of segments, as they are now. */
  SegmentCursor cursor(IntSet segments) {
    return new SegmentCursor(entries.cursor(), segments);
  }

  /** About how many entries the segments have, without reading them. */
  long estimatedEntries(IntSet segments) {
    long sum = 0;
    for (PrimitiveIterator.OfInt each = segments.iterator(); each.hasNext(); ) {
      int segment = each.nextInt();
      sum += entries.estimate(EntryKeys.ofSegments(segment, segment + 1)).entries();
    }
    return sum;
  }

  /** Whether there may be entries that expire, now or later. */
  boolean mayExpire() {
    return expiry.firstEntry(KeyRange.all()) != null;
  }

  /** A cursor over what may have expired at a time. */
  ExpiryCursor expired(long now) {
    return new ExpiryCursor(expiry.cursor(EntryKeys.expiredAt(now)));
  }

  /** The value of an entry that a cursor has found. */
  byte @Nullable [] get(byte[] entryKey) {
    return entries.get(entryKey);
  }

  /**
   * Deletes what is known of the expiry of an entry, and the entry, unless it has changed.
   *
   * @param expiryKey its key among what expires
   * @param value the entry's value, {@code null} if it is absent
   * @param isExpired whether the entry is deleted, too
   * @return whether this was done; it was not if the value of the entry is another by now
   */
  boolean deleteExpired(
      byte[] expiryKey, byte[] entryKey, byte @Nullable [] value, boolean isExpired) {
    WriteBatch batch = new WriteBatch().delete(expiry, expiryKey);
    if (value == null) {
      batch.requireAbsent(entries, entryKey);
    } else {
      batch.requireValue(entries, entryKey, value);
      if (isExpired) {
        batch.delete(entries, entryKey);
      }
    }
    try {
      store.write(batch);
      return true;
    } catch (ConflictException e) {
      return false;
    }
  }

  /** Closes the store. */
  @Override
  public void close() {
    try {
      store.close();
    } finally {
      resources.close();
    }
  }
}
