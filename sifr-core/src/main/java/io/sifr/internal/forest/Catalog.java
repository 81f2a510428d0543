package io.sifr.internal.forest;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.forest.ForestEdit.Totals;
import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The forests of all databases of a store, and the counters that must survive a restart: what
 * replaying the manifest yields. Immutable; safe for any thread.
 */
public final class Catalog {
  /** A store without a database. */
  public static final Catalog EMPTY =
      new Catalog(Forests.EMPTY, 1, 1, 1, 0, null, null, Totals.NONE);

  private final Forests forests;
  private final int nextDatabaseId;
  private final long nextNumber;
  private final long nextSequence;
  private final long firstSegment;
  private final ForestEdit.@Nullable LogClosed logClosed;
  private final @Nullable LogHistory history;
  private final Totals totals;

  private Catalog(
      Forests forests,
      int nextDatabaseId,
      long nextNumber,
      long nextSequence,
      long firstSegment,
      ForestEdit.@Nullable LogClosed logClosed,
      @Nullable LogHistory history,
      Totals totals) {
    this.forests = forests;
    this.nextDatabaseId = nextDatabaseId;
    this.nextNumber = nextNumber;
    this.nextSequence = nextSequence;
    this.firstSegment = firstSegment;
    this.logClosed = logClosed;
    this.history = history;
    this.totals = totals;
  }

  /** The forests of all databases, by id. */
  public List<Forest> forests() {
    return forests.all().toList();
  }

  /** Bytes of all SSTs. */
  public long bytes() {
    return forests.bytes();
  }

  /** The forest of the database with that id, if there is one. */
  public Optional<Forest> forest(int databaseId) {
    return forests.get(databaseId);
  }

  /** Id for the next database. */
  public int nextDatabaseId() {
    return nextDatabaseId;
  }

  /**
   * First number for files and trees that was certainly never used: greater than every one that was
   * reserved or is in a forest.
   */
  public long nextNumber() {
    return nextNumber;
  }

  /**
   * First sequence number that was certainly never used, as far as the manifest knows: greater than
   * every one that was reserved or is in a forest.
   */
  public long nextSequence() {
    return nextSequence;
  }

  /** The first log segment that may hold writes not in a forest. */
  public long firstSegment() {
    return firstSegment;
  }

  /** Where the log ends, if it was closed in order and not written since; else null. */
  public ForestEdit.@Nullable LogClosed logClosed() {
    return logClosed;
  }

  /** What is retained of the log; null when nothing is. */
  public @Nullable LogHistory history() {
    return history;
  }

  /** Whether a log segment is retained although no recovery needs it. */
  public boolean isRetained(long segment) {
    return history != null && history.segment(segment).isPresent();
  }

  /** Sums over the life of the store. */
  public Totals totals() {
    return totals;
  }

  /**
   * The catalog after a group of edits.
   *
   * @throws IllegalArgumentException when one of them does not fit
   */
  public Catalog apply(List<ForestEdit> group) {
    Catalog result = this;
    for (ForestEdit edit : group) {
      result = result.apply(edit);
    }
    return result;
  }

  /**
   * The catalog after one edit.
   *
   * @throws IllegalArgumentException when the edit does not fit: an unknown database, tree or SST,
   *     a database id used twice, SSTs out of order, a compaction that breaks I1
   */
  public Catalog apply(ForestEdit edit) {
    if (edit instanceof ForestEdit.DatabaseCreated created) {
      return withDatabase(created);
    } else if (edit instanceof ForestEdit.DatabaseOptionsSet set) {
      return changed(set.databaseId(), forest -> forest.with(set.options()));
    } else if (edit instanceof ForestEdit.DatabaseDropped dropped) {
      return with(forests.without(known(dropped.databaseId()).databaseId()));
    } else if (edit instanceof ForestEdit.TreeAdded added) {
      LogicalTree tree = new LogicalTree(added.treeId(), added.slices());
      return changed(added.databaseId(), forest -> forest.withTree(added.stage(), tree))
          .using(tree.id(), tree.ssts());
    } else if (edit instanceof ForestEdit.TreesMoved moved) {
      return changed(moved.databaseId(), forest -> forest.withMoved(moved));
    } else if (edit instanceof ForestEdit.FlushedTo flushed) {
      return changed(flushed.databaseId(), forest -> forest.flushedTo(flushed.sequence()))
          .countingFrom(nextNumber, flushed.sequence() + 1);
    } else if (edit instanceof ForestEdit.CompactionBegun begun) {
      Compaction compaction = begun.compaction();
      return changed(begun.databaseId(), forest -> forest.withBegun(begun))
          .using(Math.max(compaction.number(), compaction.outputTreeId()), List.of());
    } else if (edit instanceof ForestEdit.CompactionProgressed progress) {
      return changed(progress.databaseId(), forest -> forest.withProgress(progress))
          .using(progress.number(), progress.written());
    } else if (edit instanceof ForestEdit.CompactionEnded ended) {
      return changed(ended.databaseId(), forest -> forest.withEnded(ended.number()));
    } else if (edit instanceof ForestEdit.NumbersReserved reserved) {
      return countingFrom(reserved.next(), nextSequence);
    } else if (edit instanceof ForestEdit.DatabaseIdsUsed used) {
      int next = Math.max(nextDatabaseId, used.next());
      return new Catalog(
          forests, next, nextNumber, nextSequence, firstSegment, logClosed, history, totals);
    } else if (edit instanceof ForestEdit.SequencesReserved reserved) {
      return countingFrom(nextNumber, reserved.next());
    } else if (edit instanceof ForestEdit.LogStart start) {
      long first = Math.max(firstSegment, start.firstSegment());
      return new Catalog(
          forests, nextDatabaseId, nextNumber, nextSequence, first, null, history, totals);
    } else if (edit instanceof ForestEdit.LogClosed end) {
      if (end.lastSegment() < firstSegment) {
        throw new IllegalArgumentException(
            "the log ends in segment " + end.lastSegment() + " and begins in " + firstSegment);
      }
      return new Catalog(
          forests, nextDatabaseId, nextNumber, nextSequence, firstSegment, end, history, totals);
    } else if (edit instanceof ForestEdit.TotalsReached reached) {
      return new Catalog(
          forests,
          nextDatabaseId,
          nextNumber,
          nextSequence,
          firstSegment,
          logClosed,
          history,
          reached.totals());
    } else if (edit instanceof ForestEdit.LogRetained retained) {
      return with(retained);
    } else if (edit instanceof ForestEdit.SegmentRetained retained) {
      return with(knownHistory().with(retained.segment()));
    } else if (edit instanceof ForestEdit.SegmentsGivenBack back) {
      return with(knownHistory().withoutBefore(back.firstSegment()));
    } else if (edit instanceof ForestEdit.EventRecorded recorded) {
      return with(knownHistory().with(recorded.event()))
          .countingFrom(nextNumber, recorded.event().next());
    }
    throw new IllegalArgumentException("unknown edit " + edit);
  }

  /** Edits that lead from {@link #EMPTY} to this catalog: the start of a rewritten manifest. */
  public List<ForestEdit> toEdits() {
    List<ForestEdit> edits = new ArrayList<>();
    for (Forest forest : forests()) {
      int id = forest.databaseId();
      edits.add(new ForestEdit.DatabaseCreated(id, forest.name()));
      if (!forest.options().equals(DatabaseOptions.DEFAULT)) {
        edits.add(new ForestEdit.DatabaseOptionsSet(id, forest.options()));
      }
      edits.add(new ForestEdit.FlushedTo(id, forest.flushedSequence()));
      edits.addAll(forest.toEdits());
    }
    edits.add(new ForestEdit.DatabaseIdsUsed(nextDatabaseId));
    edits.add(new ForestEdit.NumbersReserved(nextNumber));
    edits.add(new ForestEdit.SequencesReserved(nextSequence));
    edits.add(new ForestEdit.LogStart(firstSegment));
    if (logClosed != null) {
      edits.add(logClosed);
    }
    if (history != null) {
      edits.add(new ForestEdit.LogRetained(history.retention(), history.firstSequence()));
      history.segments().forEach(each -> edits.add(new ForestEdit.SegmentRetained(each)));
      history.events().forEach(each -> edits.add(new ForestEdit.EventRecorded(each)));
    }
    edits.add(new ForestEdit.TotalsReached(totals));
    return edits;
  }

  /**
   * Checks what is too expensive to check with every edit: no database's name, no tree id and no
   * SST number is used twice. An SST in two trees would be deleted when the first of them is.
   *
   * @throws IllegalArgumentException when one is
   */
  public void checkNothingIsUsedTwice() {
    Set<String> names = new HashSet<>();
    Set<Long> trees = new HashSet<>();
    Set<Long> ssts = new HashSet<>();
    for (Forest forest : forests()) {
      if (!names.add(forest.name())) {
        throw new IllegalArgumentException("there are two databases " + forest.name());
      }
      for (LogicalTree tree : forest.byPriority()) {
        if (!trees.add(tree.id())) {
          throw new IllegalArgumentException("there are two trees with the id " + tree.id());
        }
        for (Sst sst : tree.ssts()) {
          if (!ssts.add(sst.number())) {
            throw new IllegalArgumentException("SST " + sst.number() + " is in a forest twice");
          }
        }
      }
    }
  }

  private Catalog withDatabase(ForestEdit.DatabaseCreated created) {
    int id = created.databaseId();
    if (id < nextDatabaseId || id == Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "database id is " + id + "; allowed: " + nextDatabaseId + " to 2147483646");
    }
    Forests changed = forests.with(Forest.empty(id, created.name()));
    return new Catalog(
        changed, id + 1, nextNumber, nextSequence, firstSegment, logClosed, history, totals);
  }

  private Catalog changed(int databaseId, UnaryOperator<Forest> change) {
    return with(forests.with(change.apply(known(databaseId))));
  }

  private Catalog with(Forests changed) {
    return new Catalog(
        changed,
        nextDatabaseId,
        nextNumber,
        nextSequence,
        firstSegment,
        logClosed,
        history,
        totals);
  }

  private Catalog with(ForestEdit.LogRetained retained) {
    if (retained.retention().isNone()) {
      return with((LogHistory) null);
    }
    return with(
        history == null
            ? LogHistory.from(retained.firstSequence(), retained.retention())
            : history.with(retained.retention()));
  }

  private Catalog with(@Nullable LogHistory changed) {
    return new Catalog(
        forests,
        nextDatabaseId,
        nextNumber,
        nextSequence,
        firstSegment,
        logClosed,
        changed,
        totals);
  }

  private LogHistory knownHistory() {
    if (history == null) {
      throw new IllegalArgumentException("nothing of the log is retained");
    }
    return history;
  }

  /** Numbers in a forest were used, whether they were reserved or not. */
  private Catalog using(long treeId, List<Sst> ssts) {
    long number = treeId;
    long sequence = 0;
    for (Sst sst : ssts) {
      number = Math.max(number, sst.number());
      sequence = Math.max(sequence, sst.meta().maxSequence());
    }
    return countingFrom(number + 1, sequence + 1);
  }

  private Catalog countingFrom(long number, long sequence) {
    return new Catalog(
        forests,
        nextDatabaseId,
        Math.max(nextNumber, number),
        Math.max(nextSequence, sequence),
        firstSegment,
        logClosed,
        history,
        totals);
  }

  private Forest known(int databaseId) {
    return forest(databaseId)
        .orElseThrow(
            () -> new IllegalArgumentException("there is no database with id " + databaseId));
  }

  /**
   * Forests by the ids of their databases. Immutable: a change copies the forests of a few
   * neighbouring ids and the table of all such groups, so that a store may have many databases.
   */
  private static final class Forests {
    static final Forests EMPTY = new Forests(Collections.emptySortedMap(), 0);

    private static final int GROUP_SHIFT = 6;

    private final SortedMap<Integer, SortedMap<Integer, Forest>> groups;
    private final long bytes;

    private Forests(SortedMap<Integer, SortedMap<Integer, Forest>> groups, long bytes) {
      this.groups = groups;
      this.bytes = bytes;
    }

    /** Bytes of all SSTs. */
    long bytes() {
      return bytes;
    }

    Optional<Forest> get(int databaseId) {
      return Optional.ofNullable(group(databaseId).get(databaseId));
    }

    private SortedMap<Integer, Forest> group(int databaseId) {
      return groups.getOrDefault(databaseId >> GROUP_SHIFT, Collections.emptySortedMap());
    }

    /** All forests, in the order of their ids. */
    Stream<Forest> all() {
      return groups.values().stream().flatMap(group -> group.values().stream());
    }

    /** This table with another forest of the database that it belongs to. */
    Forests with(Forest forest) {
      SortedMap<Integer, Forest> changed = new TreeMap<>(group(forest.databaseId()));
      Forest before = changed.put(forest.databaseId(), forest);
      return with(forest.databaseId(), changed, forest.bytes() - bytes(before));
    }

    Forests without(int databaseId) {
      SortedMap<Integer, Forest> changed = new TreeMap<>(group(databaseId));
      Forest before = changed.remove(databaseId);
      return with(databaseId, changed, -bytes(before));
    }

    private static long bytes(@Nullable Forest forest) {
      return forest == null ? 0 : forest.bytes();
    }

    private Forests with(int databaseId, SortedMap<Integer, Forest> group, long moreBytes) {
      SortedMap<Integer, SortedMap<Integer, Forest>> changed = new TreeMap<>(groups);
      if (group.isEmpty()) {
        changed.remove(databaseId >> GROUP_SHIFT);
      } else {
        changed.put(databaseId >> GROUP_SHIFT, group);
      }
      return new Forests(changed, bytes + moreBytes);
    }
  }
}
