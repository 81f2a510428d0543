package io.sifr.internal.engine;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.RunningMerge;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which merges run, and which is next: lower stages first, at most one a source stage of a database
 * (I1), and one that was begun before another of its stage. Guarded by its user.
 */
final class MergeQueue {
  private record Stage(int databaseId, int number) {}

  private final CompactionPolicy policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final List<MergeRun> active = new CopyOnWriteArrayList<>();

  /** Source stages whose merges a damaged file stopped. */
  private final Set<Stage> damaged = new HashSet<>();

  /** Databases whose whole forest is about to be merged: from which stage on no merge begins. */
  private final Map<Integer, Integer> closed = new HashMap<>();

  MergeQueue(CompactionPolicy policy, Supplier<Collection<DatabaseHandle>> databases) {
    this.policy = policy;
    this.databases = databases;
  }

  /** The merge that is due in the lowest stage below {@code stageLimit}, if there is one. */
  @Nullable MergeJob next(int stageLimit) {
    MergeJob lowest = null;
    for (DatabaseHandle database : databases.get()) {
      if (!database.isDropped()) {
        MergeJob job = next(database);
        if (job != null && (lowest == null || sourceStage(job) < sourceStage(lowest))) {
          lowest = job;
        }
      }
    }
    return lowest != null && sourceStage(lowest) < stageLimit ? lowest : null;
  }

  private static int sourceStage(MergeJob job) {
    return job.plan().sourceStage();
  }

  private @Nullable MergeJob next(DatabaseHandle database) {
    Forest forest = database.view().get().forest();
    MergeJob lowest = null;
    Set<Integer> begun = new HashSet<>();
    for (RunningMerge merge : forest.merges()) {
      begun.add(merge.sourceStage());
      if (!isBusy(database, merge.sourceStage())
          && (lowest == null || merge.sourceStage() < sourceStage(lowest))) {
        lowest = MergeJob.rest(database, merge);
      }
    }
    int open = closed.getOrDefault(database.id(), Integer.MAX_VALUE);
    Optional<CompactionPlan> fresh =
        policy.choose(
            forest, stage -> stage >= open || begun.contains(stage) || isBusy(database, stage));
    if (fresh.isPresent()
        && (lowest == null || fresh.get().sourceStage() < lowest.plan().sourceStage())) {
      lowest = MergeJob.of(database, fresh.get());
    }
    return lowest;
  }

  private boolean isBusy(DatabaseHandle database, int stage) {
    return damaged.contains(new Stage(database.id(), stage)) || isActive(database, stage);
  }

  /** Whether a merge of that stage is at work. */
  boolean isActive(DatabaseHandle database, int stage) {
    return active.stream()
        .anyMatch(run -> run.database() == database && run.plan().sourceStage() == stage);
  }

  /** The highest stage of which a merge has begun and not ended; 0 when there is none. */
  int highestBegun(DatabaseHandle database) {
    return Math.max(
        active.stream()
            .filter(run -> run.database() == database)
            .mapToInt(run -> run.plan().sourceStage())
            .max()
            .orElse(0),
        database.view().get().forest().merges().stream()
            .mapToInt(RunningMerge::sourceStage)
            .max()
            .orElse(0));
  }

  /** A run of which a part waits for a thread, lower stages first. */
  @Nullable MergeRun withWaitingPart() {
    MergeRun lowest = null;
    for (MergeRun run : active) {
      if (run.hasWaitingPart()
          && (lowest == null || run.plan().sourceStage() < lowest.plan().sourceStage())) {
        lowest = run;
      }
    }
    return lowest;
  }

  void began(MergeRun run) {
    active.add(run);
  }

  void ended(MergeRun run) {
    active.remove(run);
  }

  /** Merges of the stage do not begin any more. */
  void damaged(MergeRun run) {
    damaged.add(new Stage(run.database().id(), run.plan().sourceStage()));
  }

  boolean isIdle() {
    return active.isEmpty() && closed.isEmpty();
  }

  /** May be called unguarded. */
  int activeRuns() {
    return active.size();
  }

  /**
   * Begins to keep merges of a database from beginning.
   *
   * @return false when somebody else does so
   */
  boolean close(DatabaseHandle database) {
    return closed.putIfAbsent(database.id(), Integer.MAX_VALUE) == null;
  }

  /** No merge of that stage or a higher one begins; those that have begun go on. */
  void closeFrom(DatabaseHandle database, int stage) {
    closed.put(database.id(), stage);
  }

  /** Merges of the database begin again. */
  void open(DatabaseHandle database) {
    closed.remove(database.id());
  }

  /** Whether threads of users merge or are about to. */
  boolean isUsedByCallers() {
    return !closed.isEmpty() || active.stream().anyMatch(MergeRun::isAwaited);
  }
}
