package io.sifr.bench.workload;

import io.sifr.bench.store.BenchStore;
import java.util.SplittableRandom;

/**
 * Performs operations on a store, one after the other, and checks every answer. Not thread-safe:
 * one per thread, all on one {@link Dataset}.
 */
public final class Client {
  private final BenchStore store;
  private final Dataset dataset;
  private final Choice choice;
  private final Judge judge;
  private final ScanCheck scanCheck;
  private long userBytes;

  /** A client whose choices depend on the seed. */
  public Client(BenchStore store, Dataset dataset, long seed) {
    this.store = store;
    this.dataset = dataset;
    this.choice = new Choice(dataset, new SplittableRandom(seed));
    this.judge = new Judge(dataset);
    this.scanCheck = new ScanCheck(dataset, judge);
  }

  /** Bytes of keys and values this client has given to put and delete. */
  public long userBytes() {
    return userBytes;
  }

  Choice choice() {
    return choice;
  }

  /** Inserts the next entry. */
  void insert() {
    put(dataset.claimNext());
  }

  /** Writes a new value of an entry. */
  void put(int entry) {
    byte[] key = dataset.keys().key(entry);
    dataset
        .ledger()
        .put(
            entry,
            state -> {
              byte[] value = dataset.values().value(entry, Ledger.writes(state));
              userBytes += key.length + value.length;
              store.put(key, value);
            });
  }

  /** Removes an entry. */
  void delete(int entry) {
    byte[] key = dataset.keys().key(entry);
    userBytes += key.length;
    dataset.ledger().remove(entry, state -> store.delete(key));
  }

  /** Reads an entry. */
  void get(int entry) {
    byte before = dataset.ledger().returned(entry);
    byte[] answer = store.get(dataset.keys().key(entry));
    judge.checkGet(entry, before, answer);
  }

  /** Reads a key that was never written. */
  void getMissing(int entry) {
    byte[] answer = store.get(dataset.keys().missingKey(entry));
    judge.checkMissing(entry, answer);
  }

  /** Reads up to {@code limit} entries from one on. */
  void scan(int entry, int limit) {
    scanCheck.begin(entry, limit);
    int count = store.scan(dataset.keys().key(entry), limit, scanCheck);
    scanCheck.end(count);
  }
}
