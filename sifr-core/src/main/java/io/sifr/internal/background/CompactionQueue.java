package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.state.DatabaseHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which compactions run, and which is next: the most urgent of all databases, by the policy, so
 * that no database is neglected for another; of equally urgent ones the smallest, which is done
 * soonest. Those that have begun are resumed. None begins that conflicts with one that runs. The
 * caller synchronizes.
 */
final class CompactionQueue {
  private final CompactionPolicy policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Comparator<DueCompaction> mostUrgent;
  private final List<CompactionRun> active = new CopyOnWriteArrayList<>();

  /** Compactions that a damaged file stopped. */
  private final List<DueCompaction> damaged = new ArrayList<>();

  /** The failures of compactions that are to be retried. */
  private final Map<DueCompaction, Attempts> attempts = new HashMap<>();

  /**
   * For databases whose whole forest is about to be merged: other compactions must be smaller than
   * this.
   */
  private final Map<Integer, Long> limits = new HashMap<>();

  CompactionQueue(CompactionPolicy policy, Supplier<Collection<DatabaseHandle>> databases) {
    this.policy = policy;
    this.databases = databases;
    this.mostUrgent =
        Comparator.comparingDouble(this::urgency)
            .reversed()
            .thenComparingLong(due -> due.plan().inputBytes());
  }

  private double urgency(DueCompaction due) {
    return policy.urgency(forest(due.database()), due.plan());
  }

  private static Forest forest(DatabaseHandle database) {
    return database.view().get().forest();
  }

  /** The compactions that may begin, the most urgent first. */
  List<DueCompaction> due() {
    return databases.get().stream()
        .filter(database -> !database.isDropped())
        .flatMap(this::due)
        .sorted(mostUrgent)
        .toList();
  }

  private Stream<DueCompaction> due(DatabaseHandle database) {
    long limit = limits.getOrDefault(database.id(), Long.MAX_VALUE);
    return Stream.concat(
            begun(database),
            policy.due(forest(database)).stream()
                .filter(plan -> plan.inputBytes() < limit)
                .map(plan -> new DueCompaction(database, plan)))
        .filter(due -> !isHeldUp(due) && !isActive(due));
  }

  /** Compactions that have begun according to the manifest. */
  private static Stream<DueCompaction> begun(DatabaseHandle database) {
    Forest forest = forest(database);
    return forest.compactions().stream()
        .map(begun -> new DueCompaction(database, CompactionPlan.remainder(forest, begun)));
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

  /** The largest compaction of a database that has begun or is running; null when there is none. */
  @Nullable DueCompaction largestBegun(DatabaseHandle database) {
    return Stream.concat(
            begun(database),
            active.stream().map(CompactionRun::due).filter(due -> due.database() == database))
        .max(Comparator.comparingLong(due -> due.plan().inputBytes()))
        .orElse(null);
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

  boolean isIdle() {
    return active.isEmpty() && limits.isEmpty();
  }

  /** May be called without synchronization. */
  int activeRuns() {
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

  /** Lifts the limit for compactions of the database. */
  void open(DatabaseHandle database) {
    limits.remove(database.id());
  }

  /** Whether callers' threads compact or are about to. */
  boolean isUsedByCallers() {
    return !limits.isEmpty() || active.stream().anyMatch(CompactionRun::isAwaited);
  }
}
