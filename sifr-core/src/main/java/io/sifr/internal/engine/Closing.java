package io.sifr.internal.engine;

import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.engine.write.MemtableRotation;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.util.Failures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a store: what is not flushed stays in the log if it is little, and the manifest records
 * what the next open needs. Used by one thread.
 */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

  private final Setup setup;
  private final SstParts ssts;
  private final StoreState state;
  private final WritePath writePath;
  private final Flushes flushes;

  Closing(Setup setup, SstParts ssts, StoreState state, WritePath writePath, Flushes flushes) {
    this.setup = setup;
    this.ssts = ssts;
    this.state = state;
    this.writePath = writePath;
    this.flushes = flushes;
  }

  /**
   * Flushes what is not to be kept in the log: write buffers with entries that are not in the log,
   * or whose values are not; all of them when the log would be long, or cannot be synced. When this
   * returns, everything else is durable in the log. So is what there is no space for elsewhere.
   */
  void flush() {
    if (state.failure().isNoted()) {
      return;
    }
    try {
      flushMost();
    } catch (StoreFullException e) {
      boolean isLogged =
          state.databases().all().stream().noneMatch(MemtableRotation::holdsUnlogged);
      if (!isLogged || !isLogDurable()) {
        throw e;
      }
      LOG.warn("what is not flushed stays in the log: {}", e.getMessage());
    }
  }

  private void flushMost() {
    boolean mayKeep = setup.options().keptLogBytes() > 0 && isLogDurable();
    Collection<DatabaseHandle> all = state.databases().all();
    writePath
        .rotation()
        .flush(
            all.stream()
                .filter(database -> !mayKeep || MemtableRotation.needsMoreThanLog(database))
                .toList());
    all.forEach(flushes::awaitFlushed);
    if (mayKeep && state.log().neededBytes() > setup.options().keptLogBytes()) {
      writePath.rotation().flush(all);
    }
    setup.fileSystem().reached(StoreCrashPoint.CLOSE_FLUSHED);
  }

  private boolean isLogDurable() {
    try {
      state.log().sync();
      // All records may be durable, and yet not the seal stored before a record that failed.
      state.log().checkSound();
      // Nor what was written of values that are in no record: nobody looks at it after a close.
      state.databases().values().sync();
      return true;
    } catch (SifrException e) {
      LOG.warn("everything is flushed because the log cannot be synced: {}", e.getMessage());
      return false;
    }
  }

  /**
   * Records what the next open needs of the log: nothing, or everything from some segment up to its
   * end. Writes nothing if nothing has changed since the store was opened.
   */
  void commitEnd() {
    Catalog last = state.catalog().catalog();
    List<ForestEdit> edits = new ArrayList<>(state.log().editsOfEnd());
    long lastSequence = state.writes().visible();
    if (lastSequence >= last.nextSequence()) {
      edits.add(new ForestEdit.SequencesReserved(lastSequence + 1));
    }
    Totals totals = state.counters().totals();
    if (!totals.equals(last.totals())) {
      edits.add(new ForestEdit.TotalsReached(totals));
    }
    if (!edits.isEmpty()) {
      state.log().withSpace(0, () -> state.catalog().commit(edits));
    }
    setup.fileSystem().reached(StoreCrashPoint.CLOSE_COMMITTED);
  }

  /**
   * Closes all files, even if something failed before.
   *
   * @param inOrder whether nothing has failed
   */
  void closeFiles(ObsoleteFiles obsoleteFiles, Failures failures, boolean inOrder) {
    failures.collect(state.log()::close);
    failures.collect(state.databases().values()::close);
    failures.collect(state.catalog()::close);
    for (DatabaseHandle database : state.databases().toClose()) {
      for (Sst sst : database.view().get().forest().ssts()) {
        failures.collect(() -> sst.markObsolete(() -> {}));
      }
    }
    failures.collect(obsoleteFiles::reclaim);
    failures.collect(ssts.access()::close);
  }
}
