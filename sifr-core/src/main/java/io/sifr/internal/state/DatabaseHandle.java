package io.sifr.internal.state;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The state of one database: its id, its newest view, and whether it was dropped. Thread-safe. */
public final class DatabaseHandle {
  private final Lifecycle store;
  private final int id;
  private final String name;

  /** The name for people: that of an index is none. */
  private final String text;

  private final StoreView.Holder view;

  private final LearnedSpans learnedSpans = new LearnedSpans();
  private final WastedReads wastedReads = new WastedReads();

  private volatile @Nullable Debt debt;
  private volatile Tombstones.@Nullable OfForest tombstones;

  /** Written under the write lock, so no write is in progress when it becomes true. */
  private volatile boolean dropped;

  /** Written under the write lock. */
  private volatile int ingests;

  /**
   * A database of a store.
   *
   * @param store the lifecycle of the store
   */
  public DatabaseHandle(Lifecycle store, int id, String name, StoreView.Holder view) {
    this.store = store;
    this.id = id;
    this.name = name;
    this.text = DatabaseOptions.isAllowedName(name) ? name : IndexName.text(name);
    this.view = view;
  }

  /** Number of the database in the log and the manifest. */
  public int id() {
    return id;
  }

  public String name() {
    return name;
  }

  /** What is set for it. */
  public DatabaseOptions options() {
    return view.get().forest().options();
  }

  /** Whether it belongs to the store with that lifecycle. */
  public boolean isOf(Lifecycle other) {
    return store == other;
  }

  /** Whether both belong to one store. */
  public boolean isOfStoreOf(DatabaseHandle other) {
    return store == other.store;
  }

  /** Its newest view. */
  public StoreView.Holder view() {
    return view;
  }

  /** What cursors have learned about its keys. */
  public LearnedSpans learnedSpans() {
    return learnedSpans;
  }

  /** What its reads waste because it has several trees. */
  public WastedReads wastedReads() {
    return wastedReads;
  }

  private record Debt(Forest of, double value) {}

  /**
   * The debt of its newest forest according to a policy. Needed by each write, so it is computed
   * again only when the forest has changed.
   */
  public double debt(CompactionPicker policy) {
    Forest forest = view.get().forest();
    Debt known = debt;
    if (known == null || known.of != forest) {
      known = new Debt(forest, policy.debt(forest));
      debt = known;
    }
    return known.value;
  }

  /** Its range tombstones. Those of the forest are counted again only when it has changed. */
  public Tombstones tombstones() {
    StoreView newest = view.get();
    Tombstones.OfForest known = tombstones;
    if (known == null || known.forest() != newest.forest() || !known.isFinal()) {
      known = Tombstones.OfForest.of(newest.forest());
      tombstones = known;
    }
    return Tombstones.of(newest, known);
  }

  /** How often files were ingested, each of which then counts as written. */
  public int ingests() {
    return ingests;
  }

  /** Files were ingested; called under the write lock. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread at a time
  public void ingested() {
    ingests++;
  }

  /** Accepts no writes and no reads from now on; called under the write lock. */
  public void markDropped() {
    dropped = true;
  }

  /** Undoes {@link #markDropped}. */
  void takeBack() {
    dropped = false;
  }

  public boolean isDropped() {
    return dropped;
  }

  /**
   * Check for reads, inside their epoch.
   *
   * @throws IllegalStateException when the store is closed or the database was dropped
   */
  public void checkReadable() {
    store.checkNotClosed();
    checkNotDropped();
  }

  /**
   * Check for background work.
   *
   * @throws CancellationException when the store is closing or the database was dropped
   */
  public void checkWorkGoesOn() {
    if (store.isClosing() || dropped) {
      throw new CancellationException("the store is closing or the database was dropped");
    }
  }

  /**
   * Check for calls that begin something.
   *
   * @throws IllegalStateException when it was dropped
   */
  public void checkNotDropped() {
    if (dropped) {
      throw new IllegalStateException("database " + this + " was dropped");
    }
  }

  @Override
  public String toString() {
    return text;
  }

  /**
   * The range tombstones of a database at one moment.
   *
   * @param bytes what they take in memory; those of SSTs that were not opened yet take none
   * @param count number of their fragments
   */
  public record Tombstones(long bytes, long count) {
    /**
     * Those of a forest.
     *
     * @param isFinal whether the bytes do not change any more: all SSTs that have some are open
     */
    record OfForest(Forest forest, long bytes, long count, boolean isFinal) {
      static OfForest of(Forest forest) {
        Set<Sst> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        long bytes = 0;
        long count = 0;
        boolean isFinal = true;
        for (LogicalTree tree : forest.byPriority()) {
          for (Sst sst : tree.hasRangeTombstones() ? tree.ssts() : Set.<Sst>of()) {
            // A clipped SST may be in a tree more than once.
            if (sst.hasRangeTombstones() && counted.add(sst)) {
              isFinal &= sst.hasRangeTombstonesInMemory();
              bytes += sst.rangeTombstoneBytes();
              count += sst.meta().rangeTombstones();
            }
          }
        }
        return new OfForest(forest, bytes, count, isFinal);
      }
    }

    static Tombstones of(StoreView view, OfForest ofForest) {
      Memtable active = view.active().memtable();
      long bytes = ofForest.bytes + active.tombstoneBytes();
      long count = ofForest.count + active.tombstoneCount();
      for (WriteBuffer buffer : view.immutables()) {
        bytes += buffer.memtable().tombstoneBytes();
        count += buffer.memtable().tombstoneCount();
      }
      return new Tombstones(bytes, count);
    }
  }
}
