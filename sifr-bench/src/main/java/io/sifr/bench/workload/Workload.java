package io.sifr.bench.workload;

import io.sifr.bench.store.Labels;

/** The mixes of operations; named as in db_bench and YCSB, whose mixes they are. */
public enum Workload {
  /** Inserts all entries in the order of their keys, into an empty store. */
  FILLSEQ(Needs.EMPTY_STORE),
  /** Inserts all entries in random order, into an empty store. */
  FILLRANDOM(Needs.EMPTY_STORE),
  /** Writes new values of random entries. */
  OVERWRITE(Needs.ENTRIES),
  /** Removes random entries. */
  DELETERANDOM(Needs.ENTRIES),
  /** Reads random entries. */
  READRANDOM(Needs.ENTRIES),
  /** Reads absent keys between present ones. */
  READMISSING(Needs.ENTRIES),
  /** Reads random entries of a hundredth of all. */
  READHOT(Needs.ENTRIES),
  /** Finds the first entry from a random key on. */
  SEEKRANDOM(Needs.ENTRIES),
  /** Reads 100 entries from a random key on; that is one operation. */
  SCAN(Needs.ENTRIES),
  /** Reads random entries while one more thread writes new values as fast as it can. */
  READWHILEWRITING(Needs.ENTRIES),
  /** Half reads, half updates; Zipfian. */
  YCSB_A(Needs.ENTRIES),
  /** 95 % reads, 5 % updates; Zipfian. */
  YCSB_B(Needs.ENTRIES),
  /** Reads; Zipfian. */
  YCSB_C(Needs.ENTRIES),
  /** 95 % reads of the latest entries, 5 % inserts. */
  YCSB_D(Needs.ENTRIES),
  /** 95 % scans of 1 to 100 entries from a Zipfian key on, 5 % inserts. */
  YCSB_E(Needs.ENTRIES),
  /** Half reads, half reads followed by a write of the same entry; Zipfian. */
  YCSB_F(Needs.ENTRIES);

  /** The entries that a store must contain before. */
  private enum Needs {
    EMPTY_STORE,
    ENTRIES
  }

  private static final int SCAN_ENTRIES = 100;

  private final Needs needs;

  Workload(Needs needs) {
    this.needs = needs;
  }

  /** Its name on the command line and in results. */
  public String label() {
    return Labels.of(this);
  }

  /** Whether it inserts all entries into an empty store. */
  public boolean fills() {
    return needs == Needs.EMPTY_STORE;
  }

  /** Whether it inserts further entries. */
  public boolean inserts() {
    return this == YCSB_D || this == YCSB_E;
  }

  /** Whether its operations read many entries each. */
  public boolean scans() {
    return this == SCAN || this == YCSB_E;
  }

  /** Whether an additional client, which is not measured, writes concurrently. */
  public boolean writesBeside() {
    return this == READWHILEWRITING;
  }

  /** The operation that a measured client repeats. */
  public Runnable operation(Client client) {
    Choice choice = client.choice();
    return switch (this) {
      case FILLSEQ, FILLRANDOM -> client::insert;
      case OVERWRITE -> () -> client.put(choice.uniform());
      case DELETERANDOM -> () -> client.delete(choice.uniform());
      case READRANDOM, READWHILEWRITING -> () -> client.get(choice.uniform());
      case READMISSING -> () -> client.getMissing(choice.uniform());
      case READHOT -> () -> client.get(choice.hot());
      case SEEKRANDOM -> () -> client.scan(choice.uniform(), 1);
      case SCAN -> () -> client.scan(choice.uniform(), SCAN_ENTRIES);
      case YCSB_A -> mix(choice, 0.5, () -> client.get(choice.zipfian()), update(client));
      case YCSB_B -> mix(choice, 0.95, () -> client.get(choice.zipfian()), update(client));
      case YCSB_C -> () -> client.get(choice.zipfian());
      case YCSB_D -> mix(choice, 0.95, () -> client.get(choice.latest()), client::insert);
      case YCSB_E ->
          mix(
              choice,
              0.95,
              () -> client.scan(choice.zipfian(), choice.upTo(SCAN_ENTRIES)),
              client::insert);
      case YCSB_F ->
          mix(choice, 0.5, () -> client.get(choice.zipfian()), () -> readThenWrite(client));
    };
  }

  /** The operation that the additional client repeats. */
  public static Runnable operationBeside(Client client) {
    return () -> client.put(client.choice().uniform());
  }

  private static Runnable update(Client client) {
    return () -> client.put(client.choice().zipfian());
  }

  private static void readThenWrite(Client client) {
    int entry = client.choice().zipfian();
    client.get(entry);
    client.put(entry);
  }

  private static Runnable mix(Choice choice, double share, Runnable often, Runnable otherwise) {
    return () -> (choice.withProbability(share) ? often : otherwise).run();
  }

  /**
   * The workload of a name.
   *
   * @throws IllegalArgumentException when there is none; the message lists the names
   */
  public static Workload of(String label) {
    return Labels.find(Workload.class, label, "there is no workload named " + label);
  }
}
