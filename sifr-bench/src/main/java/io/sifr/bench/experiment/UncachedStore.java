package io.sifr.bench.experiment;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.PageCache;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.StoreStatistics;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A Sifr store of the papers' shape in this process that bypasses the page cache: for experiments
 * that measure single reads and change the scheme between them. Answers are checked. Not
 * thread-safe.
 */
final class UncachedStore implements AutoCloseable {
  private static final long SEED = 1;

  private final Path directory;
  private final int entries;
  private final Dataset dataset;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final StoreOptions.Builder settings;
  private Store store;
  private Database database;

  /**
   * Creates a store and loads it with as many entries as the scale says.
   *
   * @param lazy whether stages are compacted later, so that there are more trees
   * @param filterBits bits a key; 0: no filters
   */
  UncachedStore(Laboratory laboratory, String name, long cacheBytes, boolean lazy, int filterBits) {
    this.directory = laboratory.newDirectory(name);
    this.entries = laboratory.scale().entries();
    this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
    this.settings =
        StoreOptions.builder()
            .writeBufferBytes(Laboratory.WRITE_BUFFER_BYTES)
            .compaction(CompactionPolicy.splitForest(4, lazy))
            .filterBitsPerKey(filterBits)
            .readMode(ReadMode.DIRECT)
            .blockCacheBytes(cacheBytes);
    this.store = Store.open(directory, settings.build());
    this.database = store.database();
    new RandomLoad(entries).putAll(store);
  }

  /** Opens it again, with that many search threads and nothing in its cache. */
  void reopen(int searchThreads) {
    store.close();
    store = Store.open(directory, settings.searchThreads(searchThreads).build());
    database = store.database();
  }

  /**
   * Opens it again, to be read in a way in which nothing of it is in memory, neither the store's
   * nor the system's; from then on it is not compacted.
   */
  void reopenCold(ReadMode mode) {
    store.close();
    PageCache.forget(directory, ".sst");
    store = Store.open(directory, settings.readMode(mode).build());
    database = store.database();
    store.pauseCompactions();
  }

  ForestShape forest() {
    return database.forest();
  }

  StoreStatistics statistics() {
    return store.statistics();
  }

  Path directory() {
    return directory;
  }

  /** The options of a read with a scheme. */
  static ReadOptions with(SearchScheme scheme) {
    return ReadOptions.builder().searchScheme(scheme).build();
  }

  static String label(SearchScheme scheme) {
    return Terms.inReports(scheme);
  }

  /** Gets a random entry; returns the nanoseconds it took. */
  long get(ReadOptions options) {
    return get(random.nextInt(entries), options);
  }

  /** Gets one of some successive entries in the order of insertion. */
  long getInserted(int firstPlace, int count, ReadOptions options) {
    return get(dataset.inserted(firstPlace + random.nextInt(count)), options);
  }

  private long get(int entry, ReadOptions options) {
    byte[] key = dataset.keys().key(entry);
    long start = System.nanoTime();
    byte[] value = database.get(key, options);
    long nanos = System.nanoTime() - start;
    if (value == null || !dataset.values().matches(value, entry, 1)) {
      throw new IllegalStateException("entry " + entry + " has a wrong value");
    }
    return nanos;
  }

  /** Gets a random absent key; returns the nanoseconds it took. */
  long miss(ReadOptions options) {
    byte[] key = dataset.keys().missingKey(random.nextInt(entries));
    long start = System.nanoTime();
    byte[] value = database.get(key, options);
    long nanos = System.nanoTime() - start;
    if (value != null) {
      throw new IllegalStateException("a key that was never written has a value");
    }
    return nanos;
  }

  /** Scans entries from a random one on; returns the nanoseconds it took. */
  long scan(int most, ReadOptions options) {
    int entry = random.nextInt(entries);
    byte[] key = dataset.keys().key(entry);
    long start = System.nanoTime();
    try (Cursor cursor = database.cursor(KeyRange.all(), options)) {
      if (!cursor.seek(key) || !dataset.values().matches(cursor.value(), entry, 1)) {
        throw new IllegalStateException("entry " + entry + " is not found");
      }
      int seen = 1;
      while (seen < most && cursor.next()) {
        seen++;
      }
    }
    return System.nanoTime() - start;
  }

  /** Deletes the store. */
  @Override
  public void close() {
    try {
      store.close();
    } finally {
      DiskSpace.delete(directory);
    }
  }
}
