package io.sifr.bench.experiment;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.error.StoreFullException;

/**
 * Entries of the papers' shape, put into a Sifr store in random order, each key once. Used by one
 * thread.
 */
final class RandomLoad {
  private static final long SEED = 1;

  private final int entries;
  private final Dataset dataset;
  private int acknowledged;

  RandomLoad(int entries) {
    this.entries = entries;
    this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
  }

  /** Number of puts that have returned. */
  int acknowledged() {
    return acknowledged;
  }

  /** Whether all have. */
  boolean isComplete() {
    return acknowledged == entries;
  }

  /**
   * Puts the entries after the acknowledged ones.
   *
   * @param count the largest number of entries when it returns
   * @throws StoreFullException when there is no space; the load can continue from there
   */
  void putUpTo(Store store, int count) {
    Database database = store.database();
    while (acknowledged < Math.min(count, entries)) {
      int entry = dataset.inserted(acknowledged);
      database.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
      acknowledged++;
    }
  }

  /** The same for all entries; returns when no compaction is due any more. */
  void putAll(Store store) {
    putUpTo(store, entries);
    store.flush();
    store.awaitIdle();
  }

  /** Opens a cursor and moves it to an entry in the middle of the keys. */
  Cursor cursorInTheMiddle(Store store) {
    Cursor cursor = store.database().cursor();
    if (!cursor.seek(dataset.keys().key(entries / 2))) {
      throw new IllegalStateException("there is nothing in the upper half of the keys");
    }
    return cursor;
  }

  /**
   * Reads on from the position of {@link #cursorInTheMiddle}.
   *
   * @param inserted number of entries when it was opened
   * @throws IllegalStateException when it does not return exactly those
   */
  void checkCursor(Cursor cursor, int inserted) {
    int expected = 0;
    for (int place = 0; place < inserted; place++) {
      expected += dataset.inserted(place) >= entries / 2 ? 1 : 0;
    }
    int found = 0;
    for (boolean more = cursor.isValid(); more; more = cursor.next()) {
      check(cursor);
      found++;
    }
    if (found != expected) {
      throw new IllegalStateException(
          "the cursor shows " + found + " entries; " + expected + " are right");
    }
  }

  /**
   * Reads all of a store.
   *
   * @throws IllegalStateException when an entry that was acknowledged is missing or wrong
   */
  void checkAll(Store store) {
    boolean[] found = new boolean[entries];
    try (Cursor cursor = store.database().cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        found[check(cursor)] = true;
      }
    }
    for (int place = 0; place < acknowledged; place++) {
      if (!found[dataset.inserted(place)]) {
        throw new IllegalStateException("the entry put as number " + place + " is lost");
      }
    }
  }

  private int check(Cursor cursor) {
    int entry = dataset.keys().entryOf(cursor.key());
    if (entry < 0 || !dataset.values().matches(cursor.value(), entry, 1)) {
      throw new IllegalStateException("an entry was never put, entry " + entry);
    }
    return entry;
  }
}
