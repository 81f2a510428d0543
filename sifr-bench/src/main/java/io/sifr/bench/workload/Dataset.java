package io.sifr.bench.workload;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The entries of a store under test: the order of their insertion and the expected state of each.
 * Thread-safe.
 */
public final class Dataset {
  private final Shape shape;
  private final KeySpace keys;
  private final Values values;
  private final Ledger ledger;
  private final boolean ascending;
  private final Permutation order;
  private final AtomicInteger inserted = new AtomicInteger();

  /**
   * A dataset without inserted entries.
   *
   * @param capacity largest number of entries
   * @param ascending whether they are inserted in the order of their keys; in random order if not
   * @param seed datasets with the same seed are equal
   */
  public Dataset(Shape shape, int capacity, boolean ascending, long seed) {
    this.shape = shape;
    this.keys = new KeySpace(shape.keyBytes(), capacity, seed);
    this.values = new Values(shape, seed);
    this.ledger = new Ledger(capacity);
    this.ascending = ascending;
    this.order = new Permutation(capacity, seed);
  }

  /** Lengths of keys and values. */
  public Shape shape() {
    return shape;
  }

  /** The keys. */
  public KeySpace keys() {
    return keys;
  }

  /** The values. */
  public Values values() {
    return values;
  }

  Ledger ledger() {
    return ledger;
  }

  /**
   * Number of entries that were inserted or are being inserted. Some may have been removed since.
   */
  public int inserted() {
    return inserted.get();
  }

  /** Declares that this many entries were inserted elsewhere, once each. */
  public void wereInserted(int count) {
    inserted.set(count);
    for (int place = 0; place < count; place++) {
      ledger.put(inserted(place), state -> {});
    }
  }

  /**
   * The next entry to insert.
   *
   * @throws IllegalStateException when all have been
   */
  int claimNext() {
    int place = inserted.getAndIncrement();
    if (place >= keys.entries()) {
      throw new IllegalStateException("all " + keys.entries() + " entries are inserted already");
    }
    return inserted(place);
  }

  /** The entry that is inserted as the {@code place}-th; the first place is 0. */
  public int inserted(int place) {
    return ascending ? place : order.at(place);
  }
}
