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
 * Which compactions run, and which is next: the most urgent of all databases, as the policy says,
 * so that no database is left behind for another's sake; and of those as urgent as each other the
 * smallest, which is done soonest. Those that have begun are resumed. None begins that conflicts
 * with one that runs. Guarded by its user.
 */
final class CompactionQueue {
  private final CompactionPolicy policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Comparator<DueCompaction> mostUrgent;
  private final List<CompactionRun> active = new CopyOnWriteArrayList<>();

  /** Those that a damaged file stopped. */
  private final List<DueCompaction> damaged = new ArrayList<>();

  /** Of those whose last run failed and that are tried again. */
  private final Map<DueCompaction, Attempts> attempts = new HashMap<>();

  /** Databases whose whole forest is about to be merged: how many bytes others may have. */
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

  /** The one to begin next of those with at most that many bytes, if any. */
  @Nullable DueCompaction next(long mostBytes) {
    return due().filter(due -> due.plan().inputBytes() <= mostBytes).min(mostUrgent).orElse(null);
  }

  /** Bytes of the smallest that is due; {@link Long#MAX_VALUE} when there is none. */
  long smallestDue() {
    return due().mapToLong(due -> due.plan().inputBytes()).min().orElse(Long.MAX_VALUE);
  }

  private Stream<DueCompaction> due() {
    return databases.get().stream().filter(database -> !database.isDropped()).flatMap(this::due);
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

  /** Those that have begun, as the manifest knows them. */
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

  /** Whether one that conflicts with it is at work: perhaps the same. */
  boolean isActive(DueCompaction due) {
    Compaction begun = due.plan().begun();
    return active.stream()
        .anyMatch(run -> (begun != null && run.isRunOf(begun)) || due.conflictsWith(run.due()));
  }

  /** The largest compaction of a database that has begun or is at work; null when there is none. */
  @Nullable DueCompaction largestBegun(DatabaseHandle database) {
    return Stream.concat(
            begun(database),
            active.stream().map(CompactionRun::due).filter(due -> due.database() == database))
        .max(Comparator.comparingLong(due -> due.plan().inputBytes()))
        .orElse(null);
  }

  /** A run of which a part waits for a thread, small ones first. */
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

  /** Nothing that conflicts with it begins any more. */
  void damaged(CompactionRun run) {
    damaged.add(run.due());
  }

  /** What conflicts with it begins again. */
  void readable(CompactionRun run) {
    damaged.remove(run.due());
  }

  /** The failures in a row; nothing that conflicts with it begins while they pause. */
  Attempts attempts(CompactionRun run) {
    for (Map.Entry<DueCompaction, Attempts> failed : attempts.entrySet()) {
      if (failed.getKey().conflictsWith(run.due())) {
        return failed.getValue();
      }
    }
    return attempts.computeIfAbsent(run.due(), due -> new Attempts());
  }

  /** It ended well. Returns how many runs had failed before. */
  int succeeded(CompactionRun run) {
    int failed = attempts.isEmpty() ? 0 : attempts(run).succeeded();
    attempts.keySet().removeIf(run.due()::conflictsWith);
    return failed;
  }

  /**
   * Whether a compaction waits to be tried again.
   *
   * @throws io.sifr.error.StoreIoException what it failed with, when it is not worth waiting for
   */
  boolean awaitsAttempt() {
    attempts.keySet().removeIf(due -> due.database().isDropped());
    attempts.values().forEach(Attempts::check);
    return attempts.values().stream().anyMatch(Attempts::isPausing);
  }

  boolean isIdle() {
    return active.isEmpty() && limits.isEmpty();
  }

  /** May be called unguarded. */
  int activeRuns() {
    return active.size();
  }

  /**
   * Begins to keep compactions of a database from beginning.
   *
   * @return false when another thread does so
   */
  boolean close(DatabaseHandle database) {
    return limits.putIfAbsent(database.id(), Long.MAX_VALUE) == null;
  }

  /** None with that many bytes or more begins; those that have begun go on. */
  void closeFrom(DatabaseHandle database, long bytes) {
    limits.put(database.id(), bytes);
  }

  /** Compactions of the database begin again. */
  void open(DatabaseHandle database) {
    limits.remove(database.id());
  }

  /** Whether threads of users compact or are about to. */
  boolean isUsedByCallers() {
    return !limits.isEmpty() || active.stream().anyMatch(CompactionRun::isAwaited);
  }
}
