package io.sifr.internal.forest;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The forests of all databases of a store, and the counters that must survive a restart: what
 * replaying the manifest yields. Immutable; safe for any thread.
 */
public final class Catalog {
  /** A store without a database. */
  public static final Catalog EMPTY = new Catalog(Map.of(), 1, 1, 1, 0, Totals.NONE);

  private final Map<Integer, Forest> forests;
  private final int nextDatabaseId;
  private final long nextNumber;
  private final long nextSequence;
  private final long firstSegment;
  private final Totals totals;

  private Catalog(
      Map<Integer, Forest> forests,
      int nextDatabaseId,
      long nextNumber,
      long nextSequence,
      long firstSegment,
      Totals totals) {
    this.forests = forests;
    this.nextDatabaseId = nextDatabaseId;
    this.nextNumber = nextNumber;
    this.nextSequence = nextSequence;
    this.firstSegment = firstSegment;
    this.totals = totals;
  }

  /** The forests of all databases, by id. */
  public Collection<Forest> forests() {
    return forests.values();
  }

  /** The forest of the database with that id, if there is one. */
  public Optional<Forest> forest(int databaseId) {
    return Optional.ofNullable(forests.get(databaseId));
  }

  /** Id for the next database. */
  public int nextDatabaseId() {
    return nextDatabaseId;
  }

  /** First number for files and trees that was certainly never used. */
  public long nextNumber() {
    return nextNumber;
  }

  /** First sequence number that was certainly never used, as far as the manifest knows. */
  public long nextSequence() {
    return nextSequence;
  }

  /** The first log segment that may hold writes not in a forest. */
  public long firstSegment() {
    return firstSegment;
  }

  /** Sums over the life of the store. */
  public Totals totals() {
    return totals;
  }

  /**
   * The catalog after one edit.
   *
   * @throws IllegalArgumentException when the edit does not fit: an unknown database, tree or SST,
   *     an id used twice, SSTs out of order
   */
  public Catalog apply(ForestEdit edit) {
    if (edit instanceof ForestEdit.DatabaseCreated created) {
      return withDatabase(created);
    } else if (edit instanceof ForestEdit.DatabaseDropped dropped) {
      Map<Integer, Forest> changed = new TreeMap<>(forests);
      changed.remove(known(dropped.databaseId()).databaseId());
      return with(changed);
    } else if (edit instanceof ForestEdit.TreeAdded added) {
      LogicalTree tree = new LogicalTree(added.treeId(), added.ssts());
      return changed(added.databaseId(), forest -> forest.withTree(added.stage(), tree));
    } else if (edit instanceof ForestEdit.FlushedTo flushed) {
      return changed(flushed.databaseId(), forest -> forest.flushedTo(flushed.sequence()));
    } else if (edit instanceof ForestEdit.CompactionCommitted compaction) {
      return changed(compaction.databaseId(), forest -> forest.withCompaction(compaction));
    } else if (edit instanceof ForestEdit.NumbersReserved reserved) {
      long next = Math.max(nextNumber, reserved.next());
      return new Catalog(forests, nextDatabaseId, next, nextSequence, firstSegment, totals);
    } else if (edit instanceof ForestEdit.DatabaseIdsUsed used) {
      int next = Math.max(nextDatabaseId, used.next());
      return new Catalog(forests, next, nextNumber, nextSequence, firstSegment, totals);
    } else if (edit instanceof ForestEdit.SequencesReserved reserved) {
      long next = Math.max(nextSequence, reserved.next());
      return new Catalog(forests, nextDatabaseId, nextNumber, next, firstSegment, totals);
    } else if (edit instanceof ForestEdit.LogStart start) {
      long first = Math.max(firstSegment, start.firstSegment());
      return new Catalog(forests, nextDatabaseId, nextNumber, nextSequence, first, totals);
    } else if (edit instanceof ForestEdit.TotalsReached reached) {
      return new Catalog(
          forests, nextDatabaseId, nextNumber, nextSequence, firstSegment, reached.totals());
    }
    throw new IllegalArgumentException("unknown edit " + edit);
  }

  private Catalog withDatabase(ForestEdit.DatabaseCreated created) {
    int id = created.databaseId();
    if (id < nextDatabaseId) {
      throw new IllegalArgumentException("database id " + id + " was used before");
    }
    Map<Integer, Forest> changed = new TreeMap<>(forests);
    changed.put(id, Forest.empty(id, created.name()));
    return new Catalog(
        changed, Math.max(nextDatabaseId, id + 1), nextNumber, nextSequence, firstSegment, totals);
  }

  private Catalog changed(int databaseId, UnaryOperator<Forest> change) {
    Map<Integer, Forest> changed = new TreeMap<>(forests);
    changed.put(databaseId, change.apply(known(databaseId)));
    return with(changed);
  }

  private Catalog with(Map<Integer, Forest> changed) {
    return new Catalog(changed, nextDatabaseId, nextNumber, nextSequence, firstSegment, totals);
  }

  private Forest known(int databaseId) {
    Forest forest = forests.get(databaseId);
    if (forest == null) {
      throw new IllegalArgumentException("there is no database with id " + databaseId);
    }
    return forest;
  }
}
