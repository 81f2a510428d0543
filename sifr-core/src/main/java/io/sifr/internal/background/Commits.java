package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.compaction.SstFiles;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryNotOpenedException;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.SstParts;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BiFunction;

/**
 * Makes the results of flushes and compactions durable and then visible (I4): first the names of
 * the SSTs they made, whose content is synced already, then the edits, then the view. Thread-safe.
 */
final class Commits {
  /** A kind of commit, with the crash points of its steps. */
  record Step(CrashPoint namesDurable, List<CrashPoint> durable, List<CrashPoint> visible) {
    static final Step FLUSH =
        new Step(
            BackgroundCrashPoint.FLUSH_FILES_DURABLE,
            List.of(BackgroundCrashPoint.FLUSH_COMMITTED),
            List.of(BackgroundCrashPoint.FLUSH_PUBLISHED));

    static final Step COMPACTION_BEGINS =
        new Step(
            BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
            List.of(BackgroundCrashPoint.COMPACTION_BEGUN),
            List.of());

    static final Step COMPACTION_PROGRESSES =
        new Step(
            BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
            List.of(BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE),
            List.of(BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED));

    static final Step COMPACTION_MOVES =
        new Step(
            BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
            List.of(
                BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE,
                BackgroundCrashPoint.MOVE_DURABLE),
            List.of(
                BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED,
                BackgroundCrashPoint.MOVE_PUBLISHED));
  }

  private final Setup setup;
  private final SstParts ssts;
  private final StoreState state;
  private final ObsoleteFiles obsoleteFiles;

  Commits(Setup setup, SstParts ssts, StoreState state, ObsoleteFiles obsoleteFiles) {
    this.setup = setup;
    this.ssts = ssts;
    this.state = state;
    this.obsoleteFiles = obsoleteFiles;
  }

  /**
   * Commits edits together with the totals. SSTs made for a database that was dropped meanwhile are
   * retired.
   *
   * @param made SSTs that the edits add; they belong to the forest when this returns, and are
   *     released when it throws
   * @param showing makes a view that shows the changed forest
   * @return the forest that this commit has published
   */
  Forest commit(
      DatabaseHandle database,
      Step step,
      List<ForestEdit> edits,
      List<Sst> made,
      BiFunction<StoreView, Forest, StoreView> showing) {
    List<ForestEdit> group = new ArrayList<>(edits);
    group.add(new ForestEdit.TotalsReached(state.counters().totals()));
    makeNamesDurable(made, step);
    Catalog changed;
    try {
      changed = state.catalog().commit(group, durable -> show(durable, database, step, showing));
    } catch (IllegalArgumentException e) {
      if (!database.isDropped()) {
        throw e;
      }
      obsoleteFiles.retire(made);
      throw new CancellationException(database.name() + " was dropped");
    } catch (StoreFullException e) {
      discard(made); // nothing was committed, and the space is needed
      throw e;
    } catch (RuntimeException | Error e) {
      // Whether the edits are durable is not known: if they are, they need the files.
      made.forEach(sst -> sst.markObsolete(() -> {}));
      throw e;
    }
    step.visible().forEach(setup.fileSystem()::reached);
    return forest(changed, database);
  }

  /** Makes the names of SSTs durable; if that fails they are deleted, and nothing has changed. */
  private void makeNamesDurable(List<Sst> made, Step step) {
    if (made.isEmpty()) {
      return;
    }
    try {
      syncDirectory();
      setup.fileSystem().reached(step.namesDurable());
    } catch (RuntimeException | Error e) {
      discard(made);
      throw e;
    }
  }

  /**
   * A directory whose sync has failed is not synced again: the next one would report success for
   * names that are lost, those of the log and of the manifest among them. Unlike a file, it cannot
   * be written again under another name.
   */
  private void syncDirectory() {
    try {
      setup.fileSystem().syncDirectory(setup.directory());
    } catch (StoreFullException | DirectoryNotOpenedException e) {
      throw e;
    } catch (StoreIoException e) {
      state.failure().note(e);
      throw e;
    }
  }

  private void show(
      Catalog durable,
      DatabaseHandle database,
      Step step,
      BiFunction<StoreView, Forest, StoreView> showing) {
    ssts.access().storeHolds(durable.bytes());
    Forest changed = forest(durable, database);
    step.durable().forEach(setup.fileSystem()::reached);
    database.view().update(current -> showing.apply(current, changed));
  }

  private static Forest forest(Catalog catalog, DatabaseHandle database) {
    return catalog
        .forest(database.id())
        .orElseThrow(() -> new IllegalStateException("no forest of " + database.name()));
  }

  /** Deletes SSTs that were never committed. */
  void discard(List<Sst> made) {
    made.forEach(sst -> SstFiles.discard(setup.fileSystem(), setup.directory(), sst));
  }
}
