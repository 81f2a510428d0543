package io.sifr.internal.engine.load;

import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.engine.write.IndexEntries;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.Snapshots;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Adds SSTs to databases as one write. They are written and synced already; what is left is their
 * place in the order of writes.
 *
 * <p>A tree is older than all write buffers, so everything that was written to the databases before
 * has to be in their forests, and what is written afterwards gets larger sequence numbers. Writes
 * to these databases therefore wait from the last flush, of the little that was written during the
 * one before it, until the trees are visible. All other writes wait from the last sync of the log
 * on: what is older than the SSTs has to be durable before they are, and a snapshot that contains a
 * newer write would contain them, but see nothing of them before the views have changed.
 *
 * <p>Thread-safe; one ingest after the other.
 */
public final class Ingest {
  private final Setup setup;
  private final StoreState state;
  private final WritePath writes;
  private final Background background;
  private final ReentrantLock oneByOne;

  /**
   * @param oneByOne held while something takes a place in the order of writes without being one
   */
  public Ingest(
      Setup setup,
      StoreState state,
      WritePath writes,
      Background background,
      ReentrantLock oneByOne) {
    this.setup = setup;
    this.state = state;
    this.writes = writes;
    this.background = background;
    this.oneByOne = oneByOne;
  }

  /**
   * Adds SSTs, within {@link Background#enter}; they belong to the store when this returns, and are
   * deleted when it throws.
   *
   * @param ssts of each database those it gets, ascending and without overlap, at least one; their
   *     content is durable, and their sequence numbers are those in the files
   */
  public void run(Map<DatabaseHandle, List<SstMeta>> ssts) {
    oneByOne.lock();
    try {
      IndexEntries entries = writes.indexes();
      if (entries == null) {
        flushAndTakePlace(ssts);
        return;
      }
      try (IndexEntries.Ingesting ingesting = beginIngest(entries, ssts)) {
        flushAndTakePlace(ssts);
      }
    } finally {
      oneByOne.unlock();
    }
  }

  private IndexEntries.Ingesting beginIngest(
      IndexEntries entries, Map<DatabaseHandle, List<SstMeta>> ssts) {
    try {
      return entries.beginIngest(ssts.keySet());
    } catch (RuntimeException | Error e) {
      discard(ssts);
      throw e;
    }
  }

  private void flushAndTakePlace(Map<DatabaseHandle, List<SstMeta>> ssts) {
    try {
      writes.rotation().flush(ssts.keySet());
      state.log().sync(); // so that little is left to be synced while writes wait
      writes.gate().hold(ssts.keySet());
    } catch (RuntimeException | Error e) {
      discard(ssts);
      throw e;
    }
    // Until the number is visible, readers need what the SSTs hide: a compaction of the new trees
    // would drop it.
    try (Snapshots.Handle before = state.writes().snapshots().acquire()) {
      takePlace(ssts);
    }
  }

  private void takePlace(Map<DatabaseHandle, List<SstMeta>> ssts) {
    long last = 0;
    try {
      long sequence = flushAndHoldAll(ssts);
      last = background.ingest(ssts, sequence);
    } catch (CancellationException e) {
      throw dropped(ssts.keySet(), e);
    } finally {
      writes.gate().release(last);
    }
  }

  private long flushAndHoldAll(Map<DatabaseHandle, List<SstMeta>> ssts) {
    try {
      writes.rotation().flush(ssts.keySet());
      long sequence = writes.gate().holdAll();
      // All writes before are older: a power failure must not take them and leave the SSTs.
      state.log().sync();
      return sequence;
    } catch (RuntimeException | Error e) {
      discard(ssts);
      throw e;
    }
  }

  private static IllegalStateException dropped(
      Collection<DatabaseHandle> databases, CancellationException cause) {
    return new IllegalStateException(
        "database " + databases.iterator().next() + " was dropped", cause);
  }

  private void discard(Map<DatabaseHandle, List<SstMeta>> ssts) {
    for (List<SstMeta> ofDatabase : ssts.values()) {
      for (SstMeta meta : ofDatabase) {
        var unused = Sst.delete(setup.fileSystem(), setup.directory(), meta.number());
      }
    }
  }
}
