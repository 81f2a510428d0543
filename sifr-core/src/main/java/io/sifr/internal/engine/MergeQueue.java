package io.sifr.internal.engine;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.RunningMerge;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
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

  /** Databases whose whole forest is being merged. */
  private final Set<Integer> exclusive = new HashSet<>();

  MergeQueue(CompactionPolicy policy, Supplier<Collection<DatabaseHandle>> databases) {
    this.policy = policy;
    this.databases = databases;
  }

  /** The merge that is due in the lowest stage below {@code stageLimit}, if there is one. */
  @Nullable MergeJob next(int stageLimit) {
    MergeJob lowest = null;
    for (DatabaseHandle database : databases.get()) {
      if (!database.isDropped() && !exclusive.contains(database.id())) {
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
    if (forest.merges().stream().anyMatch(RunningMerge::rewritesAll)) {
      // It takes trees of several stages: whatever else came into one of them would overtake it.
      return lowest;
    }
    Optional<CompactionPlan> fresh =
        policy.choose(forest, stage -> begun.contains(stage) || isBusy(database, stage));
    if (fresh.isPresent()
        && (lowest == null || fresh.get().sourceStage() < lowest.plan().sourceStage())) {
      lowest = MergeJob.of(database, fresh.get());
    }
    return lowest;
  }

  private boolean isBusy(DatabaseHandle database, int stage) {
    return damaged.contains(new Stage(database.id(), stage))
        || active.stream()
            .anyMatch(run -> run.database() == database && run.plan().sourceStage() == stage);
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
    return active.isEmpty() && exclusive.isEmpty();
  }

  boolean isIdle(DatabaseHandle database) {
    return active.stream().noneMatch(run -> run.database() == database);
  }

  /** May be called unguarded. */
  int activeRuns() {
    return active.size();
  }

  /** Whether the database is nobody's alone; it is the caller's then. */
  boolean makeExclusive(DatabaseHandle database) {
    return exclusive.add(database.id());
  }

  void endExclusive(DatabaseHandle database) {
    exclusive.remove(database.id());
  }

  boolean hasExclusive() {
    return !exclusive.isEmpty();
  }
}
