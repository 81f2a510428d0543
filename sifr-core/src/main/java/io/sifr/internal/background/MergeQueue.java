package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.state.DatabaseHandle;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which merges run, and which is next: that of the fullest stage of all databases, so that no stage
 * and no database is left behind for another's sake, and of stages as full as each other the lowest
 * one, which is done soonest. At most one runs a source stage of a database (I1), and one that was
 * begun before another of its stage. Guarded by its user.
 */
final class MergeQueue {
  private record Stage(int databaseId, int number) {}

  private static final Comparator<MergeJob> MOST_URGENT =
      Comparator.comparingInt(MergeQueue::treesInStage)
          .reversed()
          .thenComparingInt(MergeQueue::sourceStage);

  private final CompactionPolicy policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final List<MergeRun> active = new CopyOnWriteArrayList<>();

  /** Source stages whose merges a damaged file stopped. */
  private final Set<Stage> damaged = new HashSet<>();

  /** Of source stages whose last merge failed and is tried again. */
  private final Map<Stage, Attempts> attempts = new HashMap<>();

  /** Databases whose whole forest is about to be merged: from which stage on no merge begins. */
  private final Map<Integer, Integer> closed = new HashMap<>();

  MergeQueue(CompactionPolicy policy, Supplier<Collection<DatabaseHandle>> databases) {
    this.policy = policy;
    this.databases = databases;
  }

  /** The merge to begin next of those that are due in stages below {@code stageLimit}, if any. */
  @Nullable MergeJob next(int stageLimit) {
    return due().filter(job -> sourceStage(job) < stageLimit).min(MOST_URGENT).orElse(null);
  }

  /** The lowest stage with a merge that is due; {@link Integer#MAX_VALUE} when there is none. */
  int lowestDue() {
    return due().mapToInt(MergeQueue::sourceStage).min().orElse(Integer.MAX_VALUE);
  }

  private static int sourceStage(MergeJob job) {
    return job.plan().sourceStage();
  }

  private static int treesInStage(MergeJob job) {
    return job.database().view().get().forest().stage(sourceStage(job)).size();
  }

  private Stream<MergeJob> due() {
    return databases.get().stream().filter(database -> !database.isDropped()).flatMap(this::due);
  }

  private Stream<MergeJob> due(DatabaseHandle database) {
    Forest forest = database.view().get().forest();
    Set<Integer> begun = new HashSet<>();
    forest.merges().forEach(merge -> begun.add(merge.sourceStage()));
    int open = closed.getOrDefault(database.id(), Integer.MAX_VALUE);
    return Stream.concat(
        forest.merges().stream()
            .filter(merge -> !isBusy(database, merge.sourceStage()))
            .map(merge -> MergeJob.rest(database, merge)),
        policy
            .due(forest, stage -> stage >= open || begun.contains(stage) || isBusy(database, stage))
            .stream()
            .map(plan -> MergeJob.of(database, plan)));
  }

  private boolean isBusy(DatabaseHandle database, int stage) {
    Stage source = new Stage(database.id(), stage);
    Attempts failed = attempts.get(source);
    return damaged.contains(source)
        || (failed != null && failed.isPausing())
        || isActive(database, stage);
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
            .mapToInt(Compaction::sourceStage)
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

  private static Stage stage(MergeRun run) {
    return new Stage(run.database().id(), run.plan().sourceStage());
  }

  /** Merges of the stage do not begin any more. */
  void damaged(MergeRun run) {
    damaged.add(stage(run));
  }

  /** Merges of the stage begin again. */
  void readable(MergeRun run) {
    damaged.remove(stage(run));
  }

  /** The failures in a row of merges of the stage, which do not begin while they pause. */
  Attempts attempts(MergeRun run) {
    return attempts.computeIfAbsent(stage(run), stage -> new Attempts());
  }

  /** A merge of the stage ended well. Returns how many had failed before. */
  int succeeded(MergeRun run) {
    Attempts failed = attempts.remove(stage(run));
    return failed == null ? 0 : failed.succeeded();
  }

  /**
   * Whether a merge waits to be tried again.
   *
   * @throws io.sifr.error.StoreIoException what it failed with, when it is not worth waiting for
   */
  boolean awaitsAttempt() {
    Set<Integer> present = new HashSet<>();
    databases.get().forEach(database -> present.add(database.id()));
    attempts.keySet().removeIf(stage -> !present.contains(stage.databaseId()));
    attempts.values().forEach(Attempts::check);
    return attempts.values().stream().anyMatch(Attempts::isPausing);
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
