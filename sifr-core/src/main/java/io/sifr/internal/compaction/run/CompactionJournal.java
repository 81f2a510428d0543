package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.merge.PartProgress;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
final class CompactionJournal {
  /** What a journal needs of the store. */
  interface Owner {
    /** How many bytes of SSTs may be written before they have to be committed. */
    long cleaningThresholdBytes();

    /**
     * Makes the names of SSTs durable, commits and publishes edits of the database.
     *
     * @param made SSTs of the edits; they belong to the forest when it returns, and are released
     *     when it throws
     */
    Change commit(List<ForestEdit> edits, List<Sst> made);

    /** Retires inputs that no view shows any more. */
    void finished(Collection<Sst> inputs);

    /**
     * An SST is about to be written.
     *
     * @param bytes about its size
     * @param isLast as {@link PartProgress#begins}
     * @throws io.sifr.error.StoreFullException if there is no space for it
     */
    void begins(long bytes, boolean isLast);

    /** It was written, or given up. */
    void ended(long bytes);

    /** An SST was written. */
    void written(Sst sst);

    /** An SST was moved. */
    void moved(Sst sst);

    /** Deletes SSTs that were never committed. */
    void discard(List<Sst> made);
  }

  /** The forests that readers see before and after a commit. */
  record Change(Forest before, Forest after) {}

  private final Owner owner;
  private final CompactionPlan plan;
  private final int databaseId;
  private final Compaction compaction;
  private final List<Part> parts = new ArrayList<>();
  private boolean begun;
  private long uncommittedBytes;
  private Sums sums = Sums.NONE;

  /**
   * @param number the compaction's number, if it has not begun yet
   */
  CompactionJournal(Owner owner, int databaseId, CompactionPlan plan, long number) {
    this.owner = owner;
    this.databaseId = databaseId;
    this.plan = plan;
    this.compaction = plan.compaction(number);
    this.begun = plan.begun() != null;
  }

  /** Number of the compaction. */
  long number() {
    return compaction.number();
  }

  /** Receives the output of a task for a span. */
  synchronized PartProgress part(KeySpan span) {
    Part part = new Part(span);
    parts.add(part);
    return part;
  }

  /** Commits the beginning of the compaction, before any of its work. */
  synchronized void begin() {
    commit(List.of(), List.of());
  }

  /** Commits the progress since the last commit. */
  synchronized void commit() {
    commitReached(List.of());
  }

  /** Commits the progress and the end of the compaction. */
  synchronized void end() {
    commitReached(List.of(new ForestEdit.CompactionEnded(databaseId, compaction.number())));
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
            new ForestEdit.TreesMoved(databaseId, plan.targetStage(), compaction.inputTreeIds()));
      }
      group.add(new ForestEdit.CompactionBegun(databaseId, compaction, plan.targetStage()));
    }
    group.addAll(edits);
    if (!group.isEmpty()) {
      Change change = owner.commit(group, made);
      begun = true;
      owner.finished(finishedBy(edits, change));
    }
  }

  /**
   * SSTs that the inputs held something of in the spans of the edits, and of which the forest holds
   * nothing any more. Other compactions may take SSTs of the same trees at the same time, but none
   * that lies wholly in the spans of this one.
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
    owner.discard(made);
  }

  /** What the compaction has done in this process. */
  synchronized Sums sums() {
    return sums;
  }

  /**
   * Sums over the parts of a compaction.
   *
   * @param writtenSsts SSTs written
   * @param writtenBytes bytes of those
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

  /** One span of the compaction, and its output that is not committed yet. */
  private final class Part implements PartProgress {
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
    public void begins(long bytes, boolean isLast) {
      owner.begins(bytes, isLast);
      synchronized (CompactionJournal.this) {
        beginning = bytes;
      }
    }

    private void ended() {
      owner.ended(beginning);
      beginning = 0;
    }

    @Override
    public void written(Sst sst) {
      synchronized (CompactionJournal.this) {
        ended();
        writtenAbove.add(sst);
        sums = sums.withWritten(sst);
      }
      owner.written(sst);
    }

    @Override
    public void moved(Sst sst) {
      synchronized (CompactionJournal.this) {
        movedAbove.add(sst.number());
        sums = sums.withMoved(sst);
      }
      owner.moved(sst);
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
        if (above == null || Arrays.compareUnsigned(reached, above) > 0) {
          frontier = reached;
        }
        if (wrote && uncommittedBytes >= owner.cleaningThresholdBytes()) {
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
              databaseId, number(), new KeySpan(above, reached), written, moved));
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
}
