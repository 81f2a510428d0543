package io.sifr.internal.engine;

import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes hold of an open store as it is at one moment, while writes, flushes and compactions go on.
 * All that was written before the moment is either in the forests of that moment or in the log up
 * to its end: what a crash would leave. The SSTs are pinned and the log is held, so that what was
 * captured stays until it is copied.
 *
 * <p>Thread-safe.
 */
final class Captures {
  private final Setup setup;
  private final SstParts ssts;
  private final StoreState state;
  private final WritePath writePath;
  private final ObsoleteFiles obsoleteFiles;

  /** Shared by captures; exclusive to wait for their end. */
  private final ReentrantReadWriteLock inUse = new ReentrantReadWriteLock();

  Captures(
      Setup setup,
      SstParts ssts,
      StoreState state,
      WritePath writePath,
      ObsoleteFiles obsoleteFiles) {
    this.setup = setup;
    this.ssts = ssts;
    this.state = state;
    this.writePath = writePath;
    this.obsoleteFiles = obsoleteFiles;
  }

  /**
   * The state of the store at a moment.
   *
   * @param ticket of the epoch in which the SSTs of the catalog cannot be closed
   * @param log what the write buffers need of the log
   * @param lastSequence of the last write
   * @param catalog the forests
   */
  private record Moment(
      int ticket, StoreLog.@Nullable Needed log, long lastSequence, Catalog catalog) {}

  /**
   * Takes a capture, which the same thread closes.
   *
   * @throws IllegalStateException when the store is closed
   * @throws io.sifr.error.SifrException when the store has failed, or buffers cannot be flushed
   */
  Capture take() {
    inUse.readLock().lock();
    try {
      state.lifecycle().checkOpen();
      state.log().released().hold(); // before the moment, so that what the log holds then stays
      try {
        return takeHeld();
      } catch (RuntimeException | Error e) {
        state.log().released().endHold();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      inUse.readLock().unlock();
      throw e;
    }
  }

  private Capture takeHeld() {
    boolean isReadOnly = state.failure().isReadOnly();
    // Of a store that is read only all is logged, and nothing is ever written.
    Moment moment = isReadOnly ? now() : writePath.rotation().whenAllIsLogged(this::now);
    List<Sst> pinned;
    try {
      pinned = pin(moment.catalog());
    } finally {
      ssts.epochs().exit(moment.ticket());
    }
    Capture.OfLog log =
        new Capture.OfLog(moment.log(), isReadOnly ? unfinishedValues(moment) : Set.of());
    return new Capture(setup, ssts.access(), state, alone(moment), log, pinned, this::ended);
  }

  /**
   * The order matters. The epoch begins before the catalog is read, so its SSTs cannot be retired.
   * What is needed of the log is found before the catalog is read: a flush in between only has the
   * log contain what the forests contain, too.
   */
  private Moment now() {
    int ticket = ssts.epochs().enter();
    try {
      StoreLog.Needed log = state.log().needed();
      return new Moment(ticket, log, state.writes().visible(), state.catalog().catalog());
    } catch (RuntimeException | Error e) {
      ssts.epochs().exit(ticket);
      throw e;
    }
  }

  private static List<Sst> pin(Catalog catalog) {
    List<Sst> pinned = new ArrayList<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        if (!sst.tryPin()) {
          pinned.forEach(Sst::unpin);
          throw new IllegalStateException("SST " + sst.number() + " is in a forest and closed");
        }
        pinned.add(sst);
      }
    }
    return pinned;
  }

  /**
   * The value files that are not finished: the process that has the store open writes to them. The
   * log refers to them, or SSTs that were made of it when this store was opened.
   */
  private Set<Long> unfinishedValues(Moment moment) {
    Set<Long> numbers = new TreeSet<>();
    for (DatabaseHandle database : state.databases().all()) {
      StoreView view = database.view().get();
      Stream.concat(Stream.of(view.active()), view.immutables().stream())
          .flatMap(buffer -> Stream.ofNullable(buffer.valueFiles()))
          .forEach(files -> numbers.addAll(files.numbers()));
    }
    for (Forest forest : moment.catalog().forests()) {
      for (Sst sst : forest.ssts()) {
        sst.meta().values().forEach(use -> numbers.add(use.file()));
      }
    }
    numbers.removeIf(
        number -> setup.fileSystem().isFinal(FileKind.VALUES.path(setup.directory(), number)));
    return numbers;
  }

  /** The catalog of a store of its own that was closed at that moment. */
  private static Catalog alone(Moment moment) {
    Catalog catalog = moment.catalog();
    StoreLog.Needed log = moment.log();
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.SequencesReserved(moment.lastSequence() + 1));
    edits.add(new ForestEdit.LogRetained(Retention.NONE, 0)); // of the log, only this is copied
    if (log == null) {
      edits.add(new ForestEdit.LogStart(catalog.nextNumber()));
    } else {
      edits.add(new ForestEdit.LogStart(log.first()));
      edits.add(new ForestEdit.LogClosed(log.end()));
    }
    return catalog.apply(edits);
  }

  private void ended() {
    obsoleteFiles.reclaimSoon();
    inUse.readLock().unlock();
  }

  /** Waits for the captures there are; called when no more can be taken. */
  void awaitEnd() {
    inUse.writeLock().lock();
    try {
      // None is left now.
    } finally {
      inUse.writeLock().unlock();
    }
  }
}
