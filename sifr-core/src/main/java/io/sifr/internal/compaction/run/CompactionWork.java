package io.sifr.internal.compaction.run;

import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.background.Commits;
import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.background.TaskEnvironments;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.ReadDurations;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.StoreView;
import java.util.Collection;
import java.util.List;

/**
 * What all compactions share: their environment, their journals, and their listeners. Thread-safe.
 */
public final class CompactionWork {
  /** SSTs that a compaction has to write before it can delete some of its inputs, and to spare. */
  private static final int SSTS_UNDER_WAY = 4;

  private final Setup setup;
  private final StoreState state;
  private final TaskEnvironments tasks;
  private final Commits commits;
  private final ObsoleteFiles obsoleteFiles;
  private final CleaningThreshold cleaning;

  public CompactionWork(
      Setup setup,
      StoreState state,
      TaskEnvironments tasks,
      Commits commits,
      ObsoleteFiles obsoleteFiles,
      CleaningThreshold cleaning) {
    this.setup = setup;
    this.state = state;
    this.tasks = tasks;
    this.commits = commits;
    this.obsoleteFiles = obsoleteFiles;
    this.cleaning = cleaning;
  }

  /** The environment of the tasks of a compaction. */
  TaskEnvironment environment(DueCompaction due, TaskEnvironment.Progress progress) {
    return tasks.of(due.database(), due.plan().targetStage(), progress);
  }

  /** A new journal for a compaction. */
  CompactionJournal journal(DueCompaction due) {
    Compaction begun = due.plan().begun();
    long number = begun == null ? state.catalog().nextNumber() : begun.number();
    StoreOwner owner = new StoreOwner(due.database());
    return new CompactionJournal(owner, due.database().id(), due.plan(), number);
  }

  /** Called when the parts of a compaction are chosen. */
  void chosen(DueCompaction due) {
    setup
        .fileSystem()
        .reached(
            due.plan().begun() == null
                ? BackgroundCrashPoint.COMPACTION_CHOSEN
                : BackgroundCrashPoint.COMPACTION_RESUMED);
  }

  /** Called when a compaction was stopped, and its uncommitted output is deleted. */
  void suspended() {
    setup.fileSystem().reached(BackgroundCrashPoint.COMPACTION_SUSPENDED);
  }

  /** Sizes of SSTs at this moment. */
  SstSizes sizes() {
    return tasks.sizes();
  }

  /** How fast a compaction for readers writes. */
  WritePace readPace() {
    return new WritePace(setup.options().readCompactionBytesPerSecond(), System::nanoTime);
  }

  /** How long reads take, which compactions disturb. */
  ReadDurations readDurations() {
    return state.counters().reads;
  }

  /** Counts how long a compaction has paused because of the limit of all of them. */
  void limited(long nanos) {
    state.counters().limitNanos.add(nanos);
  }

  /** Counts how long a compaction has stepped back for readers. */
  void steppedBack(long nanos) {
    state.counters().stepBackNanos.add(nanos);
  }

  /** Whether the policy's compactions lag behind the writes to a database. */
  boolean isBehind(DatabaseHandle database) {
    return database.debt(setup.extensions().policy()) > 0;
  }

  /** Sequence numbers that must stay readable. */
  long[] snapshots() {
    return state.writes().snapshots().sequences();
  }

  /**
   * Gives back log because a compaction has met a full disk.
   *
   * @param inputBytes bytes of its inputs
   * @return whether there was something to give back
   */
  boolean makeSpace(long inputBytes) {
    long bytes = cleaning.isEnabled() ? SSTS_UNDER_WAY * sizes().targetBytes() : inputBytes;
    return state.log().released().makeSpace(bytes);
  }

  /** Looks at the disk when compactions have begun or ended. */
  void measureSpace() {
    state.log().space().measure();
  }

  /** Whether the disk has too little space for several compactions side by side. */
  boolean isSpaceTight() {
    return state.log().space().isTight();
  }

  /** Whether the progress of a compaction is kept when it is stopped. */
  boolean keepsProgress() {
    return cleaning.isEnabled();
  }

  /** Reports a compaction that is over. */
  void compacted(DueCompaction due, CompactionJournal.Sums sums, long nanos) {
    CompactionPlan plan = due.plan();
    setup.fileSystem().reached(BackgroundCrashPoint.COMPACTION_ENDED);
    state.counters().ended(plan.reason());
    CompactionJfrEvent event = new CompactionJfrEvent();
    event.database = due.database().name();
    event.reason = plan.reason().name();
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
                due.database().name(),
                plan.reason(),
                new StoreListener.CompactionInputs(
                    plan.sourceStage(), plan.inputs().size(), plan.inputSsts()),
                new StoreListener.CompactionOutput(
                    plan.targetStage(),
                    new StoreListener.Ssts(sums.writtenSsts(), sums.writtenBytes()),
                    new StoreListener.Ssts(sums.movedSsts(), sums.movedBytes()),
                    sums.droppedEntries()),
                nanos));
  }

  /** How the journal of a compaction commits to the store. */
  private final class StoreOwner implements CompactionJournal.Owner {
    private final DatabaseHandle database;

    private StoreOwner(DatabaseHandle database) {
      this.database = database;
    }

    @Override
    public long cleaningThresholdBytes() {
      return cleaning.currentBytes();
    }

    @Override
    public void begins(long bytes, boolean isLast) {
      state.log().space().reserve(bytes, isLast);
    }

    @Override
    public void ended(long bytes) {
      state.log().space().release(bytes);
    }

    @Override
    public void written(Sst sst) {
      state.counters().compactionBytes.add(sst.meta().fileBytes());
      setup.fileSystem().reached(BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED);
    }

    @Override
    public void moved(Sst sst) {
      state.counters().movedBytes.add(sst.meta().fileBytes());
      setup.fileSystem().reached(BackgroundCrashPoint.MOVE_CHOSEN);
    }

    @Override
    public CompactionJournal.Change commit(List<ForestEdit> edits, List<Sst> made) {
      // Only this compaction changes its trees before the commit, but right after it another one
      // may take them: so the forests before and after this commit tell what it has finished, not
      // the newest view.
      Forest before = database.view().get().forest();
      Forest after = commits.commit(database, step(edits), edits, made, StoreView::withForest);
      return new CompactionJournal.Change(before, after);
    }

    private static Commits.Step step(List<ForestEdit> edits) {
      Commits.Step step = Commits.Step.COMPACTION_BEGINS;
      for (ForestEdit edit : edits) {
        if (edit instanceof ForestEdit.CompactionProgressed progressed) {
          if (!progressed.movedSsts().isEmpty()) {
            return Commits.Step.COMPACTION_MOVES;
          }
          step = Commits.Step.COMPACTION_PROGRESSES;
        }
      }
      return step;
    }

    @Override
    public void finished(Collection<Sst> inputs) {
      obsoleteFiles.retire(inputs);
      setup.fileSystem().reached(BackgroundCrashPoint.COMPACTION_INPUTS_RETIRED);
      if (!inputs.isEmpty()) {
        obsoleteFiles.reclaim();
      }
    }

    @Override
    public void discard(List<Sst> made) {
      commits.discard(made);
    }
  }
}
