package io.sifr.internal.background;

import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;

/** What merges share: their surroundings, where they keep book, and whom they tell. Thread-safe. */
final class MergeWork {
  private final Setup setup;
  private final StoreState state;
  private final TaskEnvironments tasks;
  private final Commits commits;
  private final Reclaiming reclaiming;
  private final CleaningThreshold cleaning;

  MergeWork(
      Setup setup,
      StoreState state,
      TaskEnvironments tasks,
      Commits commits,
      Reclaiming reclaiming,
      CleaningThreshold cleaning) {
    this.setup = setup;
    this.state = state;
    this.tasks = tasks;
    this.commits = commits;
    this.reclaiming = reclaiming;
    this.cleaning = cleaning;
  }

  /** The surroundings of the tasks of a merge. */
  TaskEnvironment environment(MergeJob job, Runnable breather) {
    return tasks.of(job.database(), job.plan().targetStage(), breather);
  }

  /** Where a merge keeps book of what it has done. */
  MergeJournal journal(MergeJob job) {
    Compaction begun = job.begun();
    long outputTreeId = begun == null ? state.catalog().nextNumber() : begun.outputTreeId();
    MergeCommits owner =
        new MergeCommits(
            job.database(), setup.fileSystem(), state.counters(), commits, reclaiming, cleaning);
    return new MergeJournal(owner, job.plan(), begun, outputTreeId);
  }

  /** Told when it is chosen what a merge is going to do. */
  void chosen(MergeJob job) {
    setup
        .fileSystem()
        .reached(
            job.begun() == null
                ? BackgroundCrashPoint.MERGE_CHOSEN
                : BackgroundCrashPoint.MERGE_RESUMED);
  }

  /** Told when a merge was stopped, and nothing of it is left that is not committed. */
  void suspended() {
    setup.fileSystem().reached(BackgroundCrashPoint.MERGE_SUSPENDED);
  }

  long splitUnitBytes() {
    return setup.options().splitUnitBytes();
  }

  /** Sequence numbers that must stay readable. */
  long[] snapshots() {
    return state.writes().snapshots().sequences();
  }

  /** Whether what a merge has done is kept when it cannot go on for a while. */
  boolean keepsProgress() {
    return cleaning.isEnabled();
  }

  /** Tells of a compaction that is over. */
  void compacted(MergeJob job, MergeJournal.Sums sums, long nanos) {
    CompactionPlan plan = job.plan();
    setup.fileSystem().reached(BackgroundCrashPoint.MERGE_ENDED);
    JfrEvents.Compaction event = new JfrEvents.Compaction();
    event.database = plan.database();
    event.sourceStage = plan.sourceStage();
    event.inputSsts = plan.inputSsts();
    event.writtenSsts = sums.writtenSsts();
    event.writtenBytes = sums.writtenBytes();
    event.movedSsts = sums.movedSsts();
    event.movedBytes = sums.movedBytes();
    event.nanos = nanos;
    event.commit();
    setup
        .listener()
        .compacted(
            new StoreListener.CompactionEvent(
                plan.database(),
                new StoreListener.CompactionInputs(
                    plan.sourceStage(), plan.inputs().size(), plan.inputSsts()),
                new StoreListener.CompactionOutput(
                    plan.targetStage(),
                    new StoreListener.Ssts(sums.writtenSsts(), sums.writtenBytes()),
                    new StoreListener.Ssts(sums.movedSsts(), sums.movedBytes()),
                    sums.droppedEntries()),
                nanos));
  }
}
