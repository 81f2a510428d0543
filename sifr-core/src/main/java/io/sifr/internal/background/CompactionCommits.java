package io.sifr.internal.background;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.StoreView;
import java.util.Collection;
import java.util.List;

/** How the journal of a compaction commits to the store. */
final class CompactionCommits implements CompactionJournal.Owner {
  private final DatabaseHandle database;
  private final StoreFileSystem fileSystem;
  private final Counters counters;
  private final Commits commits;
  private final Reclaiming reclaiming;
  private final CleaningThreshold cleaning;

  CompactionCommits(
      DatabaseHandle database,
      StoreFileSystem fileSystem,
      Counters counters,
      Commits commits,
      Reclaiming reclaiming,
      CleaningThreshold cleaning) {
    this.database = database;
    this.fileSystem = fileSystem;
    this.counters = counters;
    this.commits = commits;
    this.reclaiming = reclaiming;
    this.cleaning = cleaning;
  }

  @Override
  public int cleaningThreshold() {
    return cleaning.current();
  }

  @Override
  public void written(Sst sst) {
    counters.compactionBytes.add(sst.meta().fileBytes());
    fileSystem.reached(BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED);
  }

  @Override
  public void moved(Sst sst) {
    counters.movedBytes.add(sst.meta().fileBytes());
    fileSystem.reached(BackgroundCrashPoint.MOVE_CHOSEN);
  }

  @Override
  public CompactionJournal.Change commit(List<ForestEdit> edits, List<Sst> made) {
    // Only this compaction changes its trees before the commit, but right after it another one may
    // take them: so the forests before and after this commit tell what it has finished, not the
    // newest view.
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
    reclaiming.retire(inputs);
    fileSystem.reached(BackgroundCrashPoint.COMPACTION_INPUTS_RETIRED);
    if (!inputs.isEmpty()) {
      reclaiming.reclaim();
    }
  }

  @Override
  public void discard(List<Sst> made) {
    commits.discard(made);
  }
}
