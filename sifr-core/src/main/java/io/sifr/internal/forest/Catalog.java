package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.wal.WalEnd;
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
      new Catalog(Forests.EMPTY, new Counters(1, 1, 1), new Log(0, null, null), Totals.NONE);

  private final Forests forests;
  private final Counters next;
  private final Log log;
  private final Totals totals;

  /** A change that leads from one catalog to the next. */
  public interface Change {
    /**
     * The catalog after it.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    Catalog applyTo(Catalog catalog);
  }

  /** The counters of a catalog, whose values are never used twice. */
  private record Counters(int databaseId, long number, long sequence) {}

  /**
   * The state of the log.
   *
   * @param firstSegment the first segment that may hold writes not in a forest
   * @param closed where it ends; null if it may have been written since
   * @param history what is retained of it; null when nothing is
   */
  private record Log(long firstSegment, @Nullable WalEnd closed, @Nullable LogHistory history) {}

  /**
   * Sums over the life of a store, kept in the manifest so that they outlive the process.
   *
   * @param userBytes bytes of keys and values given to put and delete
   * @param walBytes bytes appended to the log
   * @param flushBytes bytes of SSTs and value files written by flushes
   * @param compactionBytes bytes of SSTs written by compactions
   * @param movedBytes bytes of SSTs that changed stage by metadata alone
   * @param stallMillis milliseconds writers were slowed or stopped
   */
  public record Totals(
      long userBytes,
      long walBytes,
      long flushBytes,
      long compactionBytes,
      long movedBytes,
      long stallMillis) {
    /** The totals of a new store. */
    public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);
  }

  private Catalog(Forests forests, Counters next, Log log, Totals totals) {
    this.forests = forests;
    this.next = next;
    this.log = log;
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

  public int nextDatabaseId() {
    return next.databaseId;
  }

  /**
   * First number for files and trees that was certainly never used: greater than every one that was
   * reserved or is in a forest.
   */
  public long nextNumber() {
    return next.number;
  }

  /**
   * First sequence number that was certainly never used, as far as the manifest knows: greater than
   * every one that was reserved or is in a forest.
   */
  public long nextSequence() {
    return next.sequence;
  }

  /** The first log segment that may hold writes not in a forest. */
  public long firstSegment() {
    return log.firstSegment;
  }

  /** Where the log ends, if it was closed in order and not written since; else null. */
  public @Nullable WalEnd logClosed() {
    return log.closed;
  }

  /** What is retained of the log; null when nothing is. */
  public @Nullable LogHistory history() {
    return log.history;
  }

  /** Whether a log segment is retained although no recovery needs it. */
  public boolean isRetained(long segment) {
    LogHistory history = log.history;
    return history != null && history.segment(segment).isPresent();
  }

  /**
   * The sequence number from which on the retained log is needed, because SSTs may be lost that
   * have the same writes; {@link LogicalTree#NOT_LOGGED} if it is needed for none.
   */
  public long firstLogged() {
    return log.history == null
        ? LogicalTree.NOT_LOGGED
        : forests.all().mapToLong(Forest::firstLogged).min().orElse(LogicalTree.NOT_LOGGED);
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
  public Catalog apply(List<? extends Change> group) {
    Catalog result = this;
    for (Change change : group) {
      result = change.applyTo(result);
    }
    return result;
  }

  /**
   * The catalog after one edit.
   *
   * @throws IllegalArgumentException when the edit does not fit: an unknown database, tree or SST,
   *     a database id used twice, SSTs out of order, a compaction that breaks I1
   */
  public Catalog apply(Change change) {
    return change.applyTo(this);
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
      checkArgument(names.add(forest.name()), "there are two databases %s", forest.name());
      for (LogicalTree tree : forest.byPriority()) {
        checkArgument(trees.add(tree.id()), "there are two trees with the id %s", tree.id());
        for (Sst sst : tree.ssts()) {
          checkArgument(ssts.add(sst.number()), "SST %s is in a forest twice", sst.number());
        }
      }
    }
  }

  Catalog withDatabase(int id, String name) {
    if (id < next.databaseId || id == Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "database id is " + id + "; allowed: " + next.databaseId + " to 2147483646");
    }
    return with(forests.with(Forest.empty(id, name))).withDatabaseIds(id + 1);
  }

  Catalog without(int databaseId) {
    return with(forests.without(known(databaseId).databaseId()));
  }

  Catalog with(int databaseId, Forest.Change change) {
    return with(forests.with(known(databaseId).apply(change)));
  }

  private Catalog with(Forests changed) {
    return new Catalog(changed, next, log, totals);
  }

  private Forest known(int databaseId) {
    return forest(databaseId)
        .orElseThrow(
            () -> new IllegalArgumentException("there is no database with id " + databaseId));
  }

  Catalog withDatabaseIds(int first) {
    int larger = Math.max(next.databaseId, first);
    return with(new Counters(larger, next.number, next.sequence));
  }

  /** Numbers in a forest were used, whether they were reserved or not. */
  Catalog using(long treeId, List<Sst> ssts) {
    long number = treeId;
    long sequence = 0;
    for (Sst sst : ssts) {
      number = Math.max(number, sst.number());
      for (ValueUse use : sst.meta().values()) {
        number = Math.max(number, use.file());
      }
      sequence = Math.max(sequence, sst.meta().maxSequence());
    }
    return countingFrom(number + 1, sequence + 1);
  }

  /** Numbers below these may have been used. */
  Catalog countingFrom(long number, long sequence) {
    return with(
        new Counters(
            next.databaseId, Math.max(next.number, number), Math.max(next.sequence, sequence)));
  }

  private Catalog with(Counters counted) {
    return new Catalog(forests, counted, log, totals);
  }

  Catalog withLogStart(long segment) {
    return with(new Log(Math.max(log.firstSegment, segment), null, log.history));
  }

  Catalog withLogEnd(WalEnd end) {
    checkArgument(
        end.segment() >= log.firstSegment,
        "the log ends in segment %s and begins in %s",
        end.segment(),
        log.firstSegment);
    return with(new Log(log.firstSegment, end, log.history));
  }

  /** Retains the log from now on, or no more. */
  Catalog retaining(Retention retention, long firstSequence) {
    if (retention.isNone()) {
      return with(new Log(log.firstSegment, log.closed, null));
    }
    LogHistory history =
        log.history == null
            ? LogHistory.from(firstSequence, retention)
            : log.history.with(retention);
    return with(new Log(log.firstSegment, log.closed, history));
  }

  Catalog withHistory(UnaryOperator<LogHistory> change) {
    LogHistory history = log.history;
    checkArgument(history != null, "nothing of the log is retained");
    return with(new Log(log.firstSegment, log.closed, change.apply(history)));
  }

  private Catalog with(Log changed) {
    return new Catalog(forests, next, changed, totals);
  }

  Catalog with(Totals reached) {
    return new Catalog(forests, next, log, reached);
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
