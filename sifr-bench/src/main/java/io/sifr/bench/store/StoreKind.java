package io.sifr.bench.store;

import com.google.common.collect.ImmutableSet;
import io.sifr.bench.store.RocksSettings.Compaction;
import io.sifr.config.CompactionPolicy.Kind;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/** The stores that can be measured. */
public enum StoreKind {
  /** This project's own. */
  SIFR(
      "reads through mappings while the data fits into memory, and uses its own cache only when it"
          + " does not"),
  /** This project's own, with leveled compaction. */
  SIFR_LEVELED("level sizes scaled to the write buffer as RocksDB's are; otherwise as sifr"),
  /** This project's own, with the papers' size-tiered compaction. */
  SIFR_TIERED("as sifr, but a tree is one file, and nothing is moved"),
  /** This project's own, with lazily leveled compaction. */
  SIFR_LAZY("as sifr, but the last stage is one tree"),
  /** This project's own, with the guards of PebblesDB. */
  SIFR_GUARDED("as sifr, but merged between guards, and nothing is moved"),
  /** RocksDB with leveled compaction. */
  ROCKSDB(
      "native; level and file sizes scaled from its defaults to the write buffer; indexes and"
          + " filters outside the cache",
      Term.WRITE_BUFFER,
      Term.CACHE,
      Term.BLOOM,
      Term.DIRECT_READS,
      Term.GROWTH_FACTOR,
      Term.COMPRESSION,
      Term.DURABILITY_NONE,
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC),
  /** RocksDB with universal compaction. */
  ROCKSDB_UNIVERSAL(
      "native; indexes and filters outside the cache; counts as drained after 0.2 s of silence",
      Term.WRITE_BUFFER,
      Term.CACHE,
      Term.BLOOM,
      Term.DIRECT_READS,
      Term.COMPRESSION,
      Term.DURABILITY_NONE,
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC),
  /** LevelDB in Java. */
  LEVELDB(
      "one lock for all writes and memtable reads; reads through mappings: no cache and no filters;"
          + " disk space of deleted tables is freed by a garbage collection; a synced write"
          + " that crosses a MiB of its log is forced only in part, so none is offered",
      Term.WRITE_BUFFER,
      Term.DURABILITY_BUFFERED),
  /** MVStore, the storage of H2. */
  MVSTORE(
      "a durable write is a commit of its own and uses no write buffer; no background work then;"
          + " disk space is reusable a second after it was freed, 45 s with durability sync",
      Term.WRITE_BUFFER,
      Term.CACHE,
      Term.DURABILITY_NONE,
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC),
  /** LMDB. */
  LMDB(
      "native; each write is a transaction, one at a time; no write buffer and no log; reads through"
          + " a mapping: no cache of its own",
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC),
  /** Xodus. */
  XODUS(
      "each write is a transaction; no write buffer: the log is the tree; the cache has 1 MiB at"
          + " least, its pages 4 KiB instead of 64; its cleaner has a schedule and is not waited"
          + " for between rounds",
      Term.CACHE,
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC);

  private final String caveat;
  private final ImmutableSet<Term> terms;

  /** One of this project's own, which all meet the same terms. */
  StoreKind(String caveat) {
    this(
        caveat,
        Term.WRITE_BUFFER,
        Term.CACHE,
        Term.DIRECT_READS,
        Term.BLOOM,
        Term.SEARCH,
        Term.GROWTH_FACTOR,
        Term.COMPRESSION,
        Term.SETTINGS,
        Term.DURABILITY_NONE,
        Term.DURABILITY_BUFFERED,
        Term.DURABILITY_SYNC);
  }

  StoreKind(String caveat, Term... terms) {
    this.caveat = caveat;
    this.terms = ImmutableSet.copyOf(terms);
  }

  /** Its name on the command line and in results. */
  public String label() {
    return Labels.of(this);
  }

  /** Whether it deletes ranges of keys by one write. */
  public boolean deletesRanges() {
    return switch (this) {
      case SIFR, SIFR_LEVELED, SIFR_TIERED, SIFR_LAZY, SIFR_GUARDED, ROCKSDB, ROCKSDB_UNIVERSAL ->
          true;
      case LEVELDB, MVSTORE, LMDB, XODUS -> false;
    };
  }

  /** Caveats for a comparison under equal terms, for reports; not a whole sentence. */
  public String caveat() {
    return caveat;
  }

  /** Whether it can meet a term. */
  public boolean supports(Term term) {
    return terms.contains(term);
  }

  /**
   * Opens a store in a directory that exists, created if that is empty.
   *
   * @param expectedBytes largest number of bytes of keys and values; for stores that must reserve
   *     address space for them
   * @throws IllegalArgumentException when it cannot meet the terms; the message names them
   */
  public BenchStore open(Path directory, Terms demanded, long expectedBytes) {
    return open(directory, demanded, expectedBytes, StoreListener.NONE);
  }

  /**
   * The same.
   *
   * @param listener is told of the background work, if the store is one of this project's own
   */
  public BenchStore open(
      Path directory, Terms demanded, long expectedBytes, StoreListener listener) {
    checkTerms(demanded);
    return switch (this) {
      case SIFR -> SifrStore.open(directory, demanded, Kind.SPLIT_FOREST, listener);
      case SIFR_LEVELED -> SifrStore.open(directory, demanded, Kind.LEVELED, listener);
      case SIFR_TIERED -> SifrStore.open(directory, demanded, Kind.SIZE_TIERED, listener);
      case SIFR_LAZY -> SifrStore.open(directory, demanded, Kind.LAZILY_LEVELED, listener);
      case SIFR_GUARDED -> SifrStore.open(directory, demanded, Kind.GUARDED, listener);
      case ROCKSDB -> RocksStore.open(directory, demanded, Compaction.LEVELED);
      case ROCKSDB_UNIVERSAL -> RocksStore.open(directory, demanded, Compaction.UNIVERSAL);
      case LEVELDB -> LevelDbStore.open(directory, demanded, expectedBytes);
      case MVSTORE -> MvStore.open(directory, demanded);
      case LMDB -> LmdbStore.open(directory, demanded, expectedBytes);
      case XODUS -> XodusStore.open(directory, demanded);
    };
  }

  /**
   * Checks that it can meet the terms.
   *
   * @throws IllegalArgumentException when it cannot; the message names those it cannot meet
   */
  public void checkTerms(Terms demanded) {
    Set<Term> missing = demanded.demands();
    missing.removeAll(terms);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          label()
              + " cannot meet "
              + missing.stream().map(Term::label).collect(Collectors.joining(", ")));
    }
  }

  /**
   * The kind of that name.
   *
   * @throws IllegalArgumentException when there is none; the message lists the names
   */
  public static StoreKind of(String label) {
    return Labels.find(StoreKind.class, label, "there is no store named " + label);
  }
}
