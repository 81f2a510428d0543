package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.Store;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A store's data by time: each interval has a database of its own, which is dropped when it is past
 * the retention period. So data that are too old cost no merge and give their space back at once.
 *
 * <p>Only the task creates and drops them; others may read meanwhile.
 */
final class Segments {
  private static final String PREFIX = "segment-";

  private final Store store;
  private final long retention;
  private final long interval;
  private final NavigableMap<Long, Database> databases = new ConcurrentSkipListMap<>();

  /**
   * Those that a store has.
   *
   * @param retention milliseconds for which data are kept
   * @param interval milliseconds of one segment
   */
  Segments(Store store, long retention, long interval) {
    this.store = store;
    this.retention = retention;
    this.interval = interval;
    for (String name : store.databaseNames()) {
      if (name.startsWith(PREFIX)) {
        databases.put(Long.parseLong(name.substring(PREFIX.length())), store.database(name));
      }
    }
  }

  /**
   * The segment that a time belongs to, made if it is not there.
   *
   * @param streamTime the largest time that was seen; segments that are too old for it are dropped
   * @return null if the time itself is too old
   */
  @Nullable Database forWriting(long time, long streamTime) {
    long oldest = numberOf(streamTime - retention);
    long number = numberOf(time);
    if (number < oldest) {
      return null;
    }
    dropBefore(oldest);
    Database database = databases.get(number);
    if (database == null) {
      database = store.openOrCreateDatabase(String.format(Locale.ROOT, PREFIX + "%019d", number));
      databases.put(number, database);
    }
    return database;
  }

  /** The segment that a time belongs to, null if there is none. */
  @Nullable Database at(long time) {
    return databases.get(numberOf(time));
  }

  /** Those that have entries of a span of time, its ends included. */
  List<Database> between(long from, long to, boolean isForward) {
    if (from > to) {
      return List.of();
    }
    NavigableMap<Long, Database> found = databases.subMap(numberOf(from), true, numberOf(to), true);
    return List.copyOf((isForward ? found : found.descendingMap()).values());
  }

  /** As a cache above the store computes it, so that both have entries in the same order. */
  private long numberOf(long time) {
    return time / interval;
  }

  private void dropBefore(long oldest) {
    for (var old = databases.firstEntry();
        old != null && old.getKey() < oldest;
        old = databases.firstEntry()) {
      // Readers must not find it any more when it is gone.
      databases.remove(old.getKey());
      store.dropDatabase(old.getValue().name());
    }
  }
}
