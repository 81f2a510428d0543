package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A store's data by time: each interval has a database of its own, which is dropped when it is too
 * old. So data that are too old cost no compaction and give their space back at once.
 *
 * <p>Only the task creates and drops them; others may read meanwhile.
 */
final class Segments {
  private static final String PREFIX = "segment-";

  private final LocalState state;
  private final long interval;
  private final boolean isDroppedAtCommit;
  private final NavigableMap<Long, Database> databases = new ConcurrentSkipListMap<>();

  /** Those that were created since the last commit, so that nothing in them is committed. */
  private final Set<Long> created = new HashSet<>();

  private long oldest = Long.MIN_VALUE;

  /**
   * Those that a store has.
   *
   * @param interval milliseconds of one segment
   * @param isDroppedAtCommit whether what is too old is kept until it was committed that it is
   */
  Segments(LocalState state, long interval, boolean isDroppedAtCommit) {
    this.state = state;
    this.interval = interval;
    this.isDroppedAtCommit = isDroppedAtCommit;
    Store store = state.store();
    for (String name : store.databaseNames()) {
      if (name.startsWith(PREFIX)) {
        databases.put(Long.parseLong(name.substring(PREFIX.length())), store.database(name));
      }
    }
  }

  /**
   * The segment that a time belongs to, made if it is not there.
   *
   * @param oldestTime the first time of which something is kept; older segments are dropped
   * @return null if the time itself is too old
   */
  @Nullable Database forWriting(long time, long oldestTime) {
    oldest = numberOf(oldestTime);
    long number = numberOf(time);
    if (number < oldest) {
      return null;
    }
    // What is restored was committed before, and so was the time by which something is too old.
    dropOld(!isDroppedAtCommit || state.isRestoring());
    Database database = databases.get(number);
    if (database == null) {
      database =
          state.store().openOrCreateDatabase(String.format(Locale.ROOT, PREFIX + "%019d", number));
      databases.put(number, database);
      created.add(number);
    }
    return database;
  }

  /** Called after each commit. */
  void committed() {
    created.clear();
    dropOld(true);
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

  /** Drops what is too old: all of it, or what was created since the last commit. */
  private void dropOld(boolean isAll) {
    for (Map.Entry<Long, Database> old : databases.headMap(oldest).entrySet()) {
      if (isAll || created.contains(old.getKey())) {
        // Readers must not find it any more when it is gone.
        databases.remove(old.getKey());
        state.drop(old.getValue());
      }
    }
  }
}
