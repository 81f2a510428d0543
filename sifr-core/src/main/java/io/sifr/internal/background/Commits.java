package io.sifr.internal.background;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BiFunction;

/**
 * Makes the results of flushes and compactions durable and then visible (I4): first the names of
 * the SSTs they made, whose content is synced already, then the edits, then the view. Thread-safe.
 */
public final class Commits {
  /** A kind of commit, with the crash points of its steps. */
  public record Step(CrashPoint namesDurable, List<CrashPoint> durable, List<CrashPoint> visible) {
    static final Step FLUSH =
        new Step(
            BackgroundCrashPoint.FLUSH_FILES_DURABLE,
            List.of(BackgroundCrashPoint.FLUSH_COMMITTED),
            List.of(BackgroundCrashPoint.FLUSH_PUBLISHED));

    static final Step INGEST =
        new Step(
            BackgroundCrashPoint.INGEST_FILES_DURABLE,
            List.of(BackgroundCrashPoint.INGEST_COMMITTED),
            List.of(BackgroundCrashPoint.INGEST_PUBLISHED));

    public static final Step COMPACTION_BEGINS =
        new Step(
            BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
            List.of(BackgroundCrashPoint.COMPACTION_BEGUN),
            List.of());

    public static final Step COMPACTION_PROGRESSES =
        new Step(
            BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
            List.of(BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE),
            List.of(BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED));

    public static final Step COMPACTION_MOVES =
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

  public Commits(Setup setup, SstParts ssts, StoreState state) {
    this.setup = setup;
    this.ssts = ssts;
    this.state = state;
  }

  /**
   * The change that a commit makes to one database.
   *
   * @param made SSTs that the edits add; they belong to the forest when the commit returns, and are
   *     released when it throws, unless an edit does not fit
   * @param showing makes a view that shows the changed forest
   */
  record Change(
      DatabaseHandle database,
      List<ForestEdit> edits,
      List<Sst> made,
      BiFunction<StoreView, Forest, StoreView> showing) {}

  /** Commits a change of one database and returns the forest that this commit has published. */
  public Forest commit(
      DatabaseHandle database,
      Step step,
      List<ForestEdit> edits,
      List<Sst> made,
      BiFunction<StoreView, Forest, StoreView> showing) {
    Change change = new Change(database, edits, made, showing);
    return forest(commit(step, List.of(change), List.of()), database);
  }

  /**
   * Commits changes of several databases and edits of none, together with the totals: all or
   * nothing of it is durable. SSTs made for a database that was dropped meanwhile are deleted.
   *
   * @return the catalog that this commit has published
   * @throws CancellationException if all databases were dropped
   * @throws IllegalArgumentException when an edit does not fit; nothing has changed then, and the
   *     SSTs are still the caller's
   */
  @CanIgnoreReturnValue
  public Catalog commit(Step step, List<Change> changes, List<ForestEdit> edits) {
    makeNamesDurable(made(changes), step);
    Catalog changed = write(step, changes, edits);
    step.visible().forEach(setup.fileSystem()::reached);
    return changed;
  }

  private Catalog write(Step step, List<Change> changes, List<ForestEdit> edits) {
    List<Change> left = changes.stream().filter(change -> exists(change.database())).toList();
    if (left.isEmpty()) {
      discard(made(changes));
      throw new CancellationException(changes.get(0).database() + " was dropped");
    }
    List<ForestEdit> group = new ArrayList<>();
    left.forEach(change -> group.addAll(change.edits()));
    group.addAll(edits);
    group.add(new ForestEdit.TotalsReached(state.counters().totals()));
    Catalog changed;
    try {
      changed = state.catalog().commit(group, durable -> show(durable, step, left));
    } catch (IllegalArgumentException e) {
      if (left.stream().allMatch(change -> exists(change.database()))) {
        throw e;
      }
      return write(step, changes, edits); // one was dropped meanwhile
    } catch (StoreFullException | FileNotOpenedException e) {
      discard(made(changes)); // nothing was committed, and the space is needed
      throw e;
    } catch (RuntimeException | Error e) {
      // Whether the edits are durable is not known: if they are, they need the files.
      made(changes).forEach(sst -> sst.markObsolete(() -> {}));
      throw e;
    }
    discard(made(changes.stream().filter(change -> !left.contains(change)).toList()));
    return changed;
  }

  /** Whether a database is in the catalog: one that is being dropped still is. */
  private boolean exists(DatabaseHandle database) {
    return state.catalog().catalog().forest(database.id()).isPresent();
  }

  private static List<Sst> made(List<Change> changes) {
    return changes.stream().flatMap(change -> change.made().stream()).toList();
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
   * be written again under another name. One on another device has neither manifest nor catalog,
   * and remembers what it has lost itself.
   */
  private void syncDirectory() {
    try {
      setup.fileSystem().syncDirectory(setup.directory());
    } catch (StoreFullException | FileNotOpenedException e) {
      throw e;
    } catch (StoreIoException e) {
      if (e.file().startsWith(setup.directory())) {
        state.failure().note(e);
      }
      throw e;
    }
  }

  private void show(Catalog durable, Step step, List<Change> changes) {
    ssts.access().storeHolds(durable.bytes());
    step.durable().forEach(setup.fileSystem()::reached);
    for (Change change : changes) {
      Forest changed = forest(durable, change.database());
      change.database().view().update(current -> change.showing().apply(current, changed));
    }
  }

  private static Forest forest(Catalog catalog, DatabaseHandle database) {
    return catalog
        .forest(database.id())
        .orElseThrow(() -> new IllegalStateException("no forest of " + database.name()));
  }

  /** Deletes SSTs that were never committed. */
  public void discard(List<Sst> made) {
    made.forEach(sst -> sst.discard(setup.fileSystem(), setup.directory()));
  }
}
