package io.sifr.internal.forest;

import com.google.common.collect.Lists;
import io.sifr.config.DatabaseOptions;
import io.sifr.internal.wal.WalEnd;
import java.util.ArrayList;
import java.util.List;

/** The edits that lead from {@link Catalog#EMPTY} to a catalog: the start of a manifest. */
public final class CatalogEdits {
  private CatalogEdits() {}

  /** Those that lead to a catalog. */
  public static List<ForestEdit> of(Catalog catalog) {
    List<ForestEdit> edits = new ArrayList<>();
    for (Forest forest : catalog.forests()) {
      int id = forest.databaseId();
      edits.add(new ForestEdit.DatabaseCreated(id, forest.name()));
      if (!forest.options().equals(DatabaseOptions.DEFAULT)) {
        edits.add(new ForestEdit.DatabaseOptionsSet(id, forest.options()));
      }
      edits.add(new ForestEdit.FlushedTo(id, forest.flushedSequence()));
      addTrees(forest, edits);
    }
    edits.add(new ForestEdit.DatabaseIdsUsed(catalog.nextDatabaseId()));
    edits.add(new ForestEdit.NumbersReserved(catalog.nextNumber()));
    edits.add(new ForestEdit.SequencesReserved(catalog.nextSequence()));
    edits.add(new ForestEdit.LogStart(catalog.firstSegment()));
    WalEnd closed = catalog.logClosed();
    if (closed != null) {
      edits.add(new ForestEdit.LogClosed(closed));
    }
    LogHistory history = catalog.history();
    if (history != null) {
      edits.add(new ForestEdit.LogRetained(history.retention(), history.firstSequence()));
      history.segments().forEach(each -> edits.add(new ForestEdit.SegmentRetained(each)));
      history.events().forEach(each -> edits.add(new ForestEdit.EventRecorded(each)));
    }
    edits.add(new ForestEdit.TotalsReached(catalog.totals()));
    return edits;
  }

  /** The trees and compactions of a forest. */
  private static void addTrees(Forest forest, List<ForestEdit> edits) {
    int id = forest.databaseId();
    Forest.Order order = forest.order();
    for (int stage = 1; stage <= order.stages().size(); stage++) {
      // The oldest first: each tree becomes the newest of its stage.
      for (LogicalTree tree : Lists.reverse(order.stage(stage))) {
        edits.add(new ForestEdit.TreeAdded(id, stage, tree.id(), tree.slices()));
      }
    }
    for (Compaction compaction : forest.compactions()) {
      int stage = forest.stageOf(compaction.outputTreeId());
      edits.add(new ForestEdit.CompactionBegun(id, compaction, stage));
    }
  }
}
