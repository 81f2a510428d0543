package io.sifr.internal.compaction.run;

import static io.sifr.internal.compaction.pick.Priority.DROP;

import io.sifr.event.CompactionReason;
import io.sifr.internal.background.Attempts;
import io.sifr.internal.compaction.pick.CompactionPolicy;
import io.sifr.internal.compaction.pick.ExpiredSpans;
import io.sifr.internal.compaction.pick.HiddenSpans;
import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which compactions run, and which is next: the most urgent of all databases, by the policy, so
 * that no database is neglected for another; of equally urgent ones the smallest, which is done
 * soonest. Those that have begun are resumed. None begins that conflicts with one that runs. The
 * caller synchronizes.
 */
public final class CompactionQueue {
  private static final Comparator<DueCompaction> MOST_URGENT =
      Comparator.comparing(DueCompaction::priority)
          .thenComparing(Comparator.comparingDouble(DueCompaction::score).reversed())
          .thenComparingLong(DueCompaction::inputBytes);

  private static final long[] NONE = {};

  private final CompactionPolicy policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Snapshots snapshots;
  private final ReadCompactions forReads;
  private final IdleCompactions whenIdle;
  private final LongSupplier clock;
  private final List<CompactionRun> active = new CopyOnWriteArrayList<>();

  /**
   * What is due in a forest, which changes only with it, and, if it has range tombstones, with the
   * snapshots, or if values expire, with the time.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Known(Forest forest, long[] snapshots, List<DueCompaction> due, long nextExpiry) {
    boolean isOf(Forest newest, long[] seen, LongSupplier clock) {
      return forest == newest
          && Arrays.equals(snapshots, seen)
          && (nextExpiry == ExpiringKind.NEVER || clock.getAsLong() < nextExpiry);
    }
  }

  /** Of each database, because there may be many and each commit changes one forest or a few. */
  private final Map<DatabaseHandle, Known> known = new HashMap<>();

  /** Compactions that a damaged file stopped. */
  private final List<DueCompaction> damaged = new ArrayList<>();

  /** The failures of compactions that are to be retried. */
  private final Map<DueCompaction, Attempts> attempts = new HashMap<>();

  /**
   * For databases whose whole forest is about to be merged: other compactions must be smaller than
   * this.
   */
  private final Map<Integer, Long> limits = new HashMap<>();

  /**
   * @param clock the time, in milliseconds since the epoch
   */
  public CompactionQueue(
      CompactionPolicy policy,
      Supplier<Collection<DatabaseHandle>> databases,
      Snapshots snapshots,
      ReadCompactions forReads,
      IdleCompactions whenIdle,
      LongSupplier clock) {
    this.clock = clock;
    this.forReads = forReads;
    this.whenIdle = whenIdle;
    this.policy = policy;
    this.databases = databases;
    this.snapshots = snapshots;
  }

  /** The compactions that may begin, in no order. */
  List<DueCompaction> due() {
    known.keySet().removeIf(DatabaseHandle::isDropped);
    whenIdle.lookBegins();
    List<DueCompaction> due = new ArrayList<>();
    for (DatabaseHandle database : databases.get()) {
      if (!database.isDropped()) {
        for (DueCompaction next : dueIn(database)) {
          if (mayBegin(next)) {
            due.add(next);
          }
        }
      }
    }
    if (due.isEmpty() && active.isEmpty()) {
      addForReads(due);
    }
    return due;
  }

  /** Adds what is due for readers alone, now or later, in a store in which nothing else is. */
  private void addForReads(List<DueCompaction> due) {
    for (DatabaseHandle database : databases.get()) {
      StoreView view = database.view().get();
      if (!database.isDropped() && view.immutables().isEmpty()) {
        DueCompaction next = forReads.due(database);
        if (next == null) {
          next = whenIdle.due(database);
        }
        if (next != null && mayBegin(next)) {
          due.add(next);
        }
      }
    }
  }

  private List<DueCompaction> dueIn(DatabaseHandle database) {
    Forest forest = database.view().get().forest();
    Known last = known.get(database);
    long[] seen = forest.hasRangeTombstones() ? snapshots.sequences() : NONE;
    if (last == null || !last.isOf(forest, seen, clock)) {
      List<DueCompaction> due = new ArrayList<>();
      if (forest.hasRangeTombstones()) {
        HiddenSpans hidden = new HiddenSpans(forest, seen);
        while (!snapshots.awaitRelease(hidden.heldBackBefore(), seen)) {
          seen = snapshots.sequences();
          hidden = new HiddenSpans(forest, seen);
        }
        hidden.due().forEach(plan -> due.add(new DueCompaction(database, plan, DROP, 0)));
      }
      long nextExpiry = ExpiringKind.NEVER;
      if (forest.expires()) {
        ExpiredSpans expired = new ExpiredSpans(forest, clock.getAsLong());
        expired.due().forEach(plan -> due.add(new DueCompaction(database, plan, DROP, 0)));
        nextExpiry = expired.next();
      }
      Stream.concat(begun(forest), policy.due(forest).stream())
          .map(plan -> due(database, forest, plan))
          .forEach(due::add);
      last = new Known(forest, seen, due, nextExpiry);
      known.put(database, last);
    }
    return last.due();
  }

  private DueCompaction due(DatabaseHandle database, Forest forest, CompactionPlan plan) {
    Priority priority = plan.reason() == CompactionReason.SPACE ? Priority.SPACE : Priority.NEEDED;
    return new DueCompaction(database, plan, priority, policy.urgency(forest, plan));
  }

  /**
   * In how many milliseconds more may be due although nothing changes, because values expire or
   * nobody writes; {@link Long#MAX_VALUE} if nothing will be.
   */
  long untilLook() {
    long next = ExpiringKind.NEVER;
    for (Known each : known.values()) {
      next = Math.min(next, each.nextExpiry());
    }
    long untilExpiry = next == ExpiringKind.NEVER ? Long.MAX_VALUE : next - clock.getAsLong();
    return Math.min(untilExpiry, whenIdle.millisLeft());
  }

  /** What is left of compactions that have begun according to the manifest. */
  private static Stream<CompactionPlan> begun(Forest forest) {
    return forest.compactions().stream().map(begun -> CompactionPlan.remainder(forest, begun));
  }

  private boolean mayBegin(DueCompaction due) {
    boolean isExcluded =
        due.plan().begun() == null
            && due.inputBytes() >= limits.getOrDefault(due.database().id(), Long.MAX_VALUE);
    return !isExcluded && !isHeldUp(due) && !isActive(due) && !areTreesToMove(due.database());
  }

  private boolean areTreesToMove(DatabaseHandle database) {
    return active.stream().anyMatch(run -> run.database() == database && run.isAboutToMoveTrees());
  }

  /** The one that should begin first. */
  static Optional<DueCompaction> mostUrgent(List<DueCompaction> due) {
    return due.stream().min(MOST_URGENT);
  }

  private boolean isHeldUp(DueCompaction due) {
    return damaged.stream().anyMatch(due::conflictsWith)
        || attempts.entrySet().stream()
            .anyMatch(
                failed -> failed.getValue().isPausing() && due.conflictsWith(failed.getKey()));
  }

  /** Those that are not running and conflict with none that runs. */
  List<DueCompaction> withoutActive(List<DueCompaction> some) {
    return some.stream().filter(due -> !isActive(due)).toList();
  }

  /** Whether a compaction that conflicts with it, or the same one, is running. */
  boolean isActive(DueCompaction due) {
    Compaction begun = due.plan().begun();
    return active.stream()
        .anyMatch(run -> (begun != null && run.isRunOf(begun)) || due.conflictsWith(run.due()));
  }

  /**
   * The largest compaction of keys of a span that has begun or is running; null when there is none.
   */
  @Nullable DueCompaction largestBegun(DatabaseHandle database, KeySpan span) {
    return Stream.concat(
            dueIn(database).stream().filter(due -> due.plan().begun() != null),
            active.stream().map(CompactionRun::due).filter(due -> due.database() == database))
        .filter(due -> isIn(due.plan().spans(), span))
        .max(Comparator.comparingLong(DueCompaction::inputBytes))
        .orElse(null);
  }

  /** One of which nothing is left to merge must end, too: it has trees still. */
  private static boolean isIn(List<KeySpan> spans, KeySpan span) {
    return spans.isEmpty() || KeySpan.overlap(spans, List.of(span));
  }

  /** The smallest run of which a part waits for a thread. */
  @Nullable CompactionRun withWaitingPart() {
    return active.stream()
        .filter(CompactionRun::hasWaitingPart)
        .min(Comparator.comparingLong(CompactionRun::inputBytes))
        .orElse(null);
  }

  void began(CompactionRun run) {
    active.add(run);
  }

  void ended(CompactionRun run) {
    active.remove(run);
  }

  /** From now on nothing that conflicts with the run begins. */
  void damaged(CompactionRun run) {
    damaged.add(run.due());
  }

  /** Compactions that conflict with the run may begin again. */
  void readable(CompactionRun run) {
    damaged.remove(run.due());
  }

  /** The run's consecutive failures; during their pause nothing that conflicts with it begins. */
  Attempts attempts(CompactionRun run) {
    for (Map.Entry<DueCompaction, Attempts> failed : attempts.entrySet()) {
      if (failed.getKey().conflictsWith(run.due())) {
        return failed.getValue();
      }
    }
    return attempts.computeIfAbsent(run.due(), due -> new Attempts());
  }

  /** The run succeeded. Returns how many had failed before. */
  int succeeded(CompactionRun run) {
    int failed = attempts.isEmpty() ? 0 : attempts(run).succeeded();
    attempts.keySet().removeIf(run.due()::conflictsWith);
    return failed;
  }

  /**
   * Whether a compaction waits to be retried.
   *
   * @throws io.sifr.error.StoreIoException its failure, if that should be reported to waiting
   *     threads
   */
  boolean awaitsAttempt() {
    attempts.keySet().removeIf(due -> due.database().isDropped());
    attempts.values().forEach(Attempts::check);
    return attempts.values().stream().anyMatch(Attempts::isPausing);
  }

  /** Those that have failed need not wait any longer. */
  void tryNow() {
    attempts.values().forEach(Attempts::next);
  }

  boolean isIdle() {
    return active.isEmpty() && limits.isEmpty();
  }

  /** Those that run now. May be called without synchronization. */
  List<CompactionRun> active() {
    return List.copyOf(active);
  }

  /** May be called without synchronization. */
  public int activeRuns() {
    return active.size();
  }

  /**
   * Begins to limit which compactions of a database may begin; at first none is excluded.
   *
   * @return false when another thread has closed the database already
   */
  boolean close(DatabaseHandle database) {
    return limits.putIfAbsent(database.id(), Long.MAX_VALUE) == null;
  }

  /** No compaction with that many bytes or more begins; those that have begun go on. */
  void closeFrom(DatabaseHandle database, long bytes) {
    limits.put(database.id(), bytes);
  }

  /** Whether a caller waits for the compactions of the database. */
  boolean isClosed(DatabaseHandle database) {
    return limits.containsKey(database.id());
  }

  /** Lifts the limit for compactions of the database. */
  void open(DatabaseHandle database) {
    limits.remove(database.id());
  }

  /** Whether callers' threads compact or are about to. */
  public boolean isUsedByCallers() {
    return !limits.isEmpty() || active.stream().anyMatch(CompactionRun::isAwaited);
  }
}
