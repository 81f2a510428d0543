package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A store of any kind in this process, with entries of the papers' shape. Its answers are checked:
 * a get has to return what was put last. Closing deletes it. Used by one thread.
 */
final class TrialStore implements AutoCloseable {
  private static final long SEED = 1;

  private final String label;
  private final Path directory;
  private final Dataset dataset;
  private final BenchStore store;
  private final SplittableRandom random = new SplittableRandom(SEED);

  /** The number of puts of each entry. */
  private final int[] versions;

  private long userBytes;
  private long liveBytes;

  /**
   * Creates one.
   *
   * @param label its name in messages
   * @param name of its directory
   * @param dataAtMost how often all its entries fit into what the store takes at most
   */
  TrialStore(
      Laboratory laboratory,
      String label,
      String name,
      StoreKind kind,
      Terms terms,
      int entries,
      int dataAtMost) {
    this.label = label;
    this.directory = laboratory.newDirectory(name);
    this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
    this.versions = new int[entries];
    long expected = (long) (dataAtMost * entries * Shape.PAPER.averageEntryBytes());
    this.store = kind.open(directory, terms.keptBy(kind), expected);
  }

  BenchStore store() {
    return store;
  }

  Path directory() {
    return directory;
  }

  Dataset dataset() {
    return dataset;
  }

  SplittableRandom random() {
    return random;
  }

  int entries() {
    return versions.length;
  }

  byte[] key(int entry) {
    return dataset.keys().key(entry);
  }

  /** Puts all entries in random order, and waits for the background work. */
  void load() {
    for (int place = 0; place < entries(); place++) {
      put(dataset.inserted(place));
    }
    dataset.wereInserted(entries());
    store.drain();
  }

  /** Puts the next version of an entry; returns its bytes. */
  int put(int entry) {
    byte[] key = key(entry);
    byte[] value = dataset.values().value(entry, versions[entry] + 1);
    store.put(key, value);
    if (versions[entry] > 0) {
      liveBytes -= key.length + dataset.values().value(entry, versions[entry]).length;
    }
    versions[entry]++;
    liveBytes += key.length + value.length;
    userBytes += key.length + value.length;
    return key.length + value.length;
  }

  /** Bytes of all puts. */
  long userBytes() {
    return userBytes;
  }

  /** Bytes of all entries as they are now. */
  long liveBytes() {
    return liveBytes;
  }

  /** Bytes of tables that the store says it has written since it was opened. */
  long writtenBytes() {
    return store.figures().tableBytes().orElse(0);
  }

  /** Bytes of all tables. */
  long tableBytes() {
    return DiskSpace.bytesByExtension(directory).getOrDefault("sst", 0L);
  }

  /** Gets an entry; returns the nanoseconds it took. */
  long get(int entry) {
    return get(entry, true);
  }

  /**
   * The same.
   *
   * @param isCompared whether its value is compared, and not only its being there
   */
  long get(int entry, boolean isCompared) {
    byte[] key = key(entry);
    long start = System.nanoTime();
    byte[] value = store.get(key);
    long nanos = System.nanoTime() - start;
    if (value == null || (isCompared && !dataset.values().matches(value, entry, versions[entry]))) {
      throw wrong("has lost the newest version of entry " + entry);
    }
    return nanos;
  }

  /** Gets a key that has no value; returns the nanoseconds it took. */
  long miss(byte[] key) {
    long start = System.nanoTime();
    byte[] value = store.get(key);
    long nanos = System.nanoTime() - start;
    if (value != null) {
      throw wrong("has an entry that was deleted or never put");
    }
    return nanos;
  }

  /** Scans all, and checks each entry. */
  void checkAll() {
    int found =
        store.scan(
            key(0),
            entries(),
            (key, value) -> {
              int entry = dataset.keys().entryOf(key);
              if (entry < 0 || !dataset.values().matches(value, entry, versions[entry])) {
                throw wrong("shows a wrong version of entry " + entry);
              }
            });
    if (found != entries()) {
      throw wrong("has " + found + " entries; " + entries() + " are right");
    }
  }

  IllegalStateException wrong(String what) {
    return new IllegalStateException(label + " " + what);
  }

  @Override
  public void close() {
    try {
      store.close();
    } finally {
      DiskSpace.delete(directory);
    }
  }
}
