package io.sifr.internal.compaction.run;

import io.sifr.error.SifrException;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.background.Commits;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects the output of the parts of a compaction, and commits it from time to time: the
 * compaction journal and early cleaning of TPDS §4.3. A commit always takes these steps in this
 * order (I4): the names of the SSTs that were written, durable and read back already, are made
 * durable; the progress edit is made durable; it is published to readers; the inputs of which
 * nothing is left are retired.
 *
 * <p>Thread-safe.
 */
abstract class CompactionJournal {
  /** The forests that readers see before and after a commit. */
  record Change(Forest before, Forest after) {}

  private final DatabaseHandle database;
  private final CompactionPlan plan;
  private final Compaction compaction;
  private final List<Part> parts = new ArrayList<>();
  private boolean begun;
  private long uncommittedBytes;
  private Sums sums = Sums.NONE;

  /**
   * @param number the compaction's number, if it has not begun yet
   */
  CompactionJournal(DatabaseHandle database, CompactionPlan plan, long number) {
    this.database = database;
    this.plan = plan;
    this.compaction = plan.compaction(number);
    this.begun = plan.begun() != null;
  }

  /** Number of the compaction. */
  long number() {
    return compaction.number();
  }

  /** Receives the output of a task for a key range. */
  synchronized PartTask.Progress part(KeySpan span) {
    Part part = new Part(span);
    parts.add(part);
    return part;
  }

  /**
   * Commits the beginning of the compaction, before any of its work.
   *
   * @throws OutdatedPlanException when it cannot begin; so do the others if they begin it
   */
  synchronized void begin() {
    commit(List.of(), List.of());
  }

  /** Commits the progress since the last commit. */
  synchronized void commit() {
    commitReached(List.of());
  }

  /** Commits the progress and the end of the compaction. */
  synchronized void end() {
    commitReached(List.of(new ForestEdit.CompactionEnded(database.id(), compaction.number())));
  }

  private void commitReached(List<ForestEdit> end) {
    List<ForestEdit> edits = new ArrayList<>();
    List<Sst> made = new ArrayList<>();
    for (Part part : parts) {
      part.takeReached(edits, made);
    }
    edits.addAll(end);
    if (!edits.isEmpty()) {
      uncommittedBytes = 0;
      commit(edits, made);
    }
  }

  private void commit(List<ForestEdit> edits, List<Sst> made) {
    List<ForestEdit> group = new ArrayList<>();
    if (!begun) {
      if (plan.gathers()) {
        group.add(
            new ForestEdit.TreesMoved(
                database.id(), plan.targetStage(), compaction.inputTreeIds()));
      }
      group.add(new ForestEdit.CompactionBegun(database.id(), compaction, plan.targetStage()));
    }
    group.addAll(edits);
    if (!group.isEmpty()) {
      Change change = publishOrDelete(group, made);
      begun = true;
      retire(finishedBy(edits, change));
    }
  }

  private Change publishOrDelete(List<ForestEdit> edits, List<Sst> made) {
    try {
      return publish(edits, made);
    } catch (IllegalArgumentException e) {
      delete(made);
      throw begun || !isOutdated() ? e : new OutdatedPlanException(e);
    }
  }

  /**
   * Whether there are trees that the plan does not know. One that was ingested may be where the
   * inputs or the output would have to be.
   */
  private boolean isOutdated() {
    Set<Long> known =
        Stream.of(plan.inputs(), plan.older(), plan.newer())
            .flatMap(List::stream)
            .map(LogicalTree::id)
            .collect(Collectors.toSet());
    return database.view().get().forest().byPriority().stream()
        .anyMatch(tree -> !known.contains(tree.id()));
  }

  /**
   * SSTs that the inputs held something of in the key ranges of the edits, and of which the forest
   * holds nothing any more. Other compactions may take SSTs of the same trees at the same time, but
   * none that lies wholly in the key ranges of this one.
   */
  private Set<Sst> finishedBy(List<ForestEdit> edits, Change change) {
    Set<Long> trees = new HashSet<>(compaction.inputTreeIds());
    Set<Sst> finished = new HashSet<>();
    for (ForestEdit edit : edits) {
      if (edit instanceof ForestEdit.CompactionProgressed progress) {
        for (LogicalTree tree : change.before().trees(trees)) {
          tree.slicesIn(progress.span()).forEach(slice -> finished.add(slice.sst()));
        }
      }
    }
    trees.add(compaction.outputTreeId());
    change.after().trees(trees).forEach(tree -> finished.removeIf(tree::holds));
    return finished;
  }

  /** Deletes what was written and not committed; the tasks must have ended. */
  synchronized void discard() {
    List<Sst> made = new ArrayList<>();
    parts.forEach(part -> part.giveUp(made));
    delete(made);
  }

  /**
   * Makes the names of SSTs durable, commits edits, and publishes them.
   *
   * @param made SSTs of the edits; they belong to the forest when it returns, and are released when
   *     it throws
   * @throws IllegalArgumentException when an edit does not fit; the SSTs are not released then
   */
  abstract Change publish(List<ForestEdit> edits, List<Sst> made);

  /** Retires inputs that no view shows any more. */
  abstract void retire(Set<Sst> inputs);

  /** Deletes SSTs that were never committed. */
  abstract void delete(List<Sst> made);

  /** How many bytes of SSTs may be written before they have to be committed. */
  abstract long cleaningThresholdBytes();

  /**
   * Reserves space for an SST that is about to be written.
   *
   * @param bytes about its size, at most
   * @throws io.sifr.error.StoreFullException if there is none
   */
  abstract void begins(long bytes);

  /** The SST was written, or given up. */
  abstract void ended(long bytes);

  /** An SST was written. */
  abstract void countWritten(Sst sst);

  /** Values were written to value files. */
  abstract void countCopied(long bytes);

  /** An SST was moved. */
  abstract void countMoved(Sst sst);

  /** What the compaction has done in this process. */
  synchronized Sums sums() {
    return sums;
  }

  /**
   * Sums over the parts of a compaction.
   *
   * @param writtenSsts SSTs written
   * @param writtenBytes bytes of those, and of values that were written to value files
   * @param movedSsts SSTs moved
   * @param movedBytes bytes of those
   * @param droppedEntries entries not written again
   */
  record Sums(
      int writtenSsts, long writtenBytes, int movedSsts, long movedBytes, long droppedEntries) {
    static final Sums NONE = new Sums(0, 0, 0, 0, 0);

    private Sums withWritten(Sst sst) {
      return new Sums(
          writtenSsts + 1,
          writtenBytes + sst.meta().fileBytes(),
          movedSsts,
          movedBytes,
          droppedEntries);
    }

    private Sums withCopied(long bytes) {
      return new Sums(writtenSsts, writtenBytes + bytes, movedSsts, movedBytes, droppedEntries);
    }

    private Sums withMoved(Sst sst) {
      return new Sums(
          writtenSsts,
          writtenBytes,
          movedSsts + 1,
          movedBytes + sst.meta().fileBytes(),
          droppedEntries);
    }

    private Sums withDropped(long entries) {
      return new Sums(writtenSsts, writtenBytes, movedSsts, movedBytes, droppedEntries + entries);
    }
  }

  /** One key range of the compaction, and its output that is not committed yet. */
  private final class Part implements PartTask.Progress {
    private byte @Nullable [] above;

    /** SSTs at or below {@link #frontier}. */
    private List<Sst> written = new ArrayList<>();

    private List<Long> moved = new ArrayList<>();

    /** SSTs handed over since the frontier was last moved. */
    private final List<Sst> writtenAbove = new ArrayList<>();

    private final List<Long> movedAbove = new ArrayList<>();
    private byte @Nullable [] frontier;

    /** About how many bytes the SST has that is being written; 0: none is. */
    private long beginning;

    private Part(KeySpan span) {
      this.above = span.above();
    }

    @Override
    public void begins(long bytes) {
      CompactionJournal.this.begins(bytes);
      synchronized (CompactionJournal.this) {
        beginning = bytes;
      }
    }

    private void ended() {
      CompactionJournal.this.ended(beginning);
      beginning = 0;
    }

    @Override
    public void written(Sst sst) {
      synchronized (CompactionJournal.this) {
        ended();
        writtenAbove.add(sst);
        sums = sums.withWritten(sst);
      }
      countWritten(sst);
    }

    @Override
    public void wroteValues(long bytes) {
      synchronized (CompactionJournal.this) {
        uncommittedBytes += bytes;
        sums = sums.withCopied(bytes);
      }
      countCopied(bytes);
    }

    @Override
    public void moved(Sst sst) {
      synchronized (CompactionJournal.this) {
        movedAbove.add(sst.number());
        sums = sums.withMoved(sst);
      }
      countMoved(sst);
    }

    @Override
    public void stays(Sst sst) {
      synchronized (CompactionJournal.this) {
        movedAbove.add(sst.number());
      }
    }

    @Override
    public void reached(byte[] reached, long droppedEntries) {
      synchronized (CompactionJournal.this) {
        boolean wrote = !writtenAbove.isEmpty();
        uncommittedBytes += writtenAbove.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
        written.addAll(writtenAbove);
        moved.addAll(movedAbove);
        writtenAbove.clear();
        movedAbove.clear();
        sums = sums.withDropped(droppedEntries);
        frontier = reached;
        if (wrote && uncommittedBytes >= cleaningThresholdBytes()) {
          commit();
        }
      }
    }

    private void takeReached(List<ForestEdit> edits, List<Sst> made) {
      byte[] reached = frontier;
      if (reached == null) {
        return;
      }
      made.addAll(written);
      edits.add(
          new ForestEdit.CompactionProgressed(
              database.id(), number(), new KeySpan(above, reached), written, moved));
      above = reached;
      frontier = null;
      written = new ArrayList<>();
      moved = new ArrayList<>();
    }

    private void giveUp(List<Sst> made) {
      ended();
      made.addAll(written);
      made.addAll(writtenAbove);
      written.clear();
      writtenAbove.clear();
    }
  }

  /** The journal of a compaction in a store. */
  static final class OfStore extends CompactionJournal {
    private static final int SHARE_OF_FREE_SPACE = 4;

    private final WorkParts store;
    private final IntSupplier runningCompactions;
    private final DatabaseHandle database;

    /**
     * As above.
     *
     * @param runningCompactions how many share the free space of the disk
     */
    OfStore(
        WorkParts store,
        IntSupplier runningCompactions,
        DatabaseHandle database,
        CompactionPlan plan,
        long number) {
      super(database, plan, number);
      this.store = store;
      this.runningCompactions = runningCompactions;
      this.database = database;
    }

    @Override
    Change publish(List<ForestEdit> edits, List<Sst> made) {
      // Only this compaction changes its trees before the commit, but right after it another one
      // may take them: so the forests before and after this commit show what it has finished, not
      // the newest view.
      Forest before = database.view().get().forest();
      Forest after =
          store.commits().commit(database, step(edits), edits, made, StoreView::withForest);
      return new Change(before, after);
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
    void retire(Set<Sst> inputs) {
      store.obsoleteFiles().retire(inputs);
      store.setup().fileSystem().reached(BackgroundCrashPoint.COMPACTION_INPUTS_RETIRED);
      if (!inputs.isEmpty()) {
        store.obsoleteFiles().reclaim();
      }
    }

    @Override
    void delete(List<Sst> made) {
      store.commits().discard(made);
    }

    @Override
    long cleaningThresholdBytes() {
      return cleaningThresholdBytes(store.setup(), runningCompactions.getAsInt());
    }

    @Override
    void begins(long bytes) {
      store.state().log().space().reserve(bytes);
    }

    @Override
    void ended(long bytes) {
      store.state().log().space().release(bytes);
    }

    @Override
    void countWritten(Sst sst) {
      store.state().counters().compactionBytes.add(sst.meta().fileBytes());
      store.setup().fileSystem().reached(BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED);
    }

    @Override
    void countCopied(long bytes) {
      store.state().counters().compactionBytes.add(bytes);
    }

    @Override
    void countMoved(Sst sst) {
      store.state().counters().movedBytes.add(sst.meta().fileBytes());
      store.setup().fileSystem().reached(BackgroundCrashPoint.MOVE_CHOSEN);
    }

    /**
     * How many bytes of SSTs a compaction may write before it commits them and deletes the inputs
     * they replace (early cleaning, TPDS §4.3); 0: every single SST is committed. Each commit syncs
     * the manifest, so they are as many as the options allow while there is space: the uncommitted
     * output of all compactions together takes at most a quarter of the free space.
     */
    static long cleaningThresholdBytes(Setup setup, int runningCompactions) {
      if (!setup.options().earlyCleaning()) {
        return Long.MAX_VALUE;
      }
      try {
        long free = setup.fileSystem().usableBytes(setup.directory()) / SHARE_OF_FREE_SPACE;
        return Math.min(
            setup.tuning().cleaningThresholdBytes(), free / Math.max(1, runningCompactions));
      } catch (SifrException e) {
        // The free space is unknown: better to sync too often than to run out of it.
        return 0;
      }
    }
  }
}
