package io.sifr.internal.background;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds SSTs that others have written to databases: each database gets one tree, all by one group of
 * edits. Thread-safe.
 *
 * <p>The tree is newer than all others (I1). So it is the newest tree of stage 1, like that of a
 * flush; or the newest of the stage that trees of its size belong to, if there is nothing above
 * that stage which it overlaps: then it is not compacted with small trees, stage after stage.
 */
public final class IngestCommit {
  private final Setup setup;
  private final SstParts parts;
  private final StoreState state;
  private final Commits commits;

  public IngestCommit(Setup setup, SstParts parts, StoreState state, Commits commits) {
    this.setup = setup;
    this.parts = parts;
    this.state = state;
    this.commits = commits;
  }

  /** The SSTs that a database gets. */
  private record Addition(DatabaseHandle database, List<Sst> ssts) {}

  /**
   * Makes the edits durable and then shows the trees. They belong to the store when this returns;
   * when it throws, the files are deleted, unless it is not known whether the edits are durable.
   *
   * @param ssts of each database those it gets, ascending and without overlap; their content is
   *     durable, and their sequence numbers are those in the files
   * @param sequence the number that the smallest of them becomes, which is larger than those of all
   *     writes to the databases; these are all in the forests, and none follows until this returns
   * @return the number that the largest of them becomes
   * @throws java.util.concurrent.CancellationException when all databases were dropped
   */
  public long commit(Map<DatabaseHandle, List<SstMeta>> ssts, long sequence) {
    long last =
        ssts.values().stream()
            .flatMap(List::stream)
            .mapToLong(meta -> meta.withBase(base(meta, sequence)).maxSequence())
            .max()
            .orElse(sequence);
    // Readers of changes find the ingest at its first number.
    List<ForestEdit> edits =
        last == sequence || !state.log().isRetained()
            ? List.of()
            : List.of(new ForestEdit.EventRecorded(new LogEvent.Skipped(sequence + 1, last + 1)));
    List<Addition> additions = new ArrayList<>();
    ssts.forEach(
        (database, metas) ->
            additions.add(
                new Addition(
                    database, metas.stream().map(meta -> attached(meta, sequence)).toList())));
    try {
      commits.commit(Commits.Step.INGEST, changes(additions, sequence, last, this::stage), edits);
    } catch (IllegalArgumentException e) {
      // A compaction has begun meanwhile whose output would come before the tree. What is newest
      // of all fits always.
      commits.commit(Commits.Step.INGEST, changes(additions, sequence, last, addition -> 1), edits);
    }
    for (Addition addition : additions) {
      addition.ssts().forEach(sst -> state.counters().userBytes.add(sst.meta().rawBytes()));
      addition.database().wastedReads().flushed(bytes(addition.ssts()));
    }
    return last;
  }

  private static long base(SstMeta meta, long sequence) {
    return sequence - meta.minSequence();
  }

  private Sst attached(SstMeta meta, long sequence) {
    Sst sst = new Sst(meta.withBase(base(meta, sequence)));
    sst.attach(parts.access());
    return sst;
  }

  private interface Stages {
    int of(Addition addition);
  }

  private List<Commits.Change> changes(
      List<Addition> additions, long sequence, long last, Stages stages) {
    List<Commits.Change> changes = new ArrayList<>();
    for (Addition addition : additions) {
      int database = addition.database().id();
      List<ForestEdit> edits = new ArrayList<>();
      edits.add(
          new ForestEdit.TreeAdded(
              database, stages.of(addition), state.catalog().nextNumber(), addition.ssts()));
      edits.add(new ForestEdit.FlushedTo(database, last));
      if (state.log().isRetained()) {
        edits.add(new ForestEdit.EventRecorded(event(addition, sequence)));
      }
      changes.add(
          new Commits.Change(
              addition.database(),
              edits,
              addition.ssts(),
              (view, forest) -> view.withForest(forest)));
    }
    return changes;
  }

  private static LogEvent event(Addition addition, long sequence) {
    List<Sst> ssts = addition.ssts();
    return new LogEvent.Ingested(
        sequence,
        addition.database().id(),
        Key.of(ssts.get(0).smallestKey()),
        Key.of(ssts.get(ssts.size() - 1).largestKey()));
  }

  private int stage(Addition addition) {
    Forest forest = addition.database().view().get().forest();
    List<Sst> ssts = addition.ssts();
    int stage =
        setup.extensions().policy().stageOfSize(bytes(ssts), setup.options().writeBufferBytes());
    byte[] first = ssts.get(0).smallestKey();
    byte[] last = ssts.get(ssts.size() - 1).largestKey();
    KeySpan whole = KeySpan.between(first, Bytes.successor(last));
    for (int above = 1; above < stage; above++) {
      if (overlaps(forest, above, ssts) || !forest.isIdle(above + 1, whole)) {
        return above;
      }
    }
    return stage;
  }

  private static boolean overlaps(Forest forest, int stage, List<Sst> ssts) {
    return forest.stage(stage).stream()
        .anyMatch(tree -> ssts.stream().anyMatch(sst -> overlaps(tree, sst)));
  }

  private static boolean overlaps(LogicalTree tree, Sst sst) {
    return tree.holdsBetween(sst.smallestKey(), Bytes.successor(sst.largestKey()));
  }

  private static long bytes(List<Sst> ssts) {
    return ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
  }
}
