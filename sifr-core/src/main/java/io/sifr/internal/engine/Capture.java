package io.sifr.internal.engine;

import io.sifr.error.CorruptionException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.Failures;
import io.sifr.internal.value.ValueFile;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.wal.WalCopy;
import io.sifr.internal.wal.WalReplay;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open store as it was at one moment, to be copied: its catalog, its SSTs, which stay until the
 * capture is closed or has {@linkplain #forEachSst gone through} them, and the end of its log,
 * which stays until it is {@linkplain #copyLog copied}, with the value files that {@linkplain
 * #isOfLog belong} to it. Used by one thread.
 */
public final class Capture implements AutoCloseable {
  private final Setup setup;
  private final SstAccess access;
  private final StoreState state;
  private final Catalog catalog;
  private final OfLog log;
  private final Deque<Sst> pinned;
  private final Runnable whenClosed;
  private boolean holdsLog = true;
  private boolean closed;

  /**
   * Files that are copied, since they change.
   *
   * @param needed what write buffers need of the log; null: nothing
   * @param values numbers of value files that were seen while others write to them
   */
  record OfLog(StoreLog.@Nullable Needed needed, Set<Long> values) {}

  Capture(
      Setup setup,
      SstAccess access,
      StoreState state,
      Catalog catalog,
      OfLog log,
      List<Sst> pinned,
      Runnable whenClosed) {
    this.setup = setup;
    this.access = access;
    this.state = state;
    this.catalog = catalog;
    this.log = log;
    this.pinned = new ArrayDeque<>(pinned);
    this.whenClosed = whenClosed;
  }

  /** The catalog of a store with the same content, and whose log was closed. */
  public Catalog catalog() {
    return catalog;
  }

  /** Throws when the store is being closed, which waits for the capture. */
  public void checkGoesOn() {
    state.lifecycle().checkOpen();
  }

  /**
   * Whether a value file is copied with the log: another process was writing to it, so its copy
   * belongs to this capture alone.
   */
  public boolean isOfLog(long valueFile) {
    return log.values().contains(valueFile);
  }

  /**
   * Copies the part of the log that belongs to the catalog; called once. The content of the copies
   * is durable when this returns, their names are not.
   */
  public void copyLog(Path target) {
    FileCopy copies = new FileCopy(setup.fileSystem(), this::checkGoesOn);
    StoreLog.Needed needed = log.needed();
    if (needed != null) {
      WalCopy.copy(
          setup.fileSystem(), setup.directory(), needed.first(), needed.end(), copies, target);
      verifyLog(target, needed);
      state.log().checkSound();
    }
    if (!log.values().isEmpty()) {
      copyValues(target, copies);
    }
    releaseLog();
  }

  /**
   * As a recovery leaves such a file: of values that were not written wholly nothing is left, and
   * the log refers to none of them.
   */
  private void copyValues(Path target, FileCopy copies) {
    try (ValueFiles copied =
        new ValueFiles(setup.fileSystem(), target, setup.extensions().codecs()::withId)) {
      for (long number : log.values()) {
        Path from = FileKind.VALUES.path(setup.directory(), number);
        Path to = FileKind.VALUES.path(target, number);
        long bytes = setup.fileSystem().size(from);
        var unused = copies.copy(from, to, bytes, bytes);
        if (copied.dropUnfinished(number)) {
          try (RandomWriteFile file = setup.fileSystem().openForWrite(to, bytes)) {
            file.sync();
          }
        }
      }
    }
  }

  /** The store may go on with a damaged log, since its memtables have what is in it. */
  private void verifyLog(Path target, StoreLog.Needed copied) {
    try {
      WalReplay.replay(
              setup.fileSystem(),
              target,
              copied.first(),
              (sequence, count, operations, offset, length) -> checkGoesOn())
          .requireReaches(target, copied.end());
    } catch (CorruptionException e) {
      Path original = setup.directory().resolve(e.file().getFileName());
      throw e.retold(original, e.what());
    }
  }

  private void releaseLog() {
    if (holdsLog) {
      holdsLog = false;
      state.log().released().endHold();
    }
  }

  /** Does something with each SST, which may be deleted afterwards; called once. */
  public void forEachSst(Consumer<Sst> action) {
    for (Sst sst = pinned.peek(); sst != null; sst = pinned.peek()) {
      checkGoesOn();
      action.accept(sst);
      pinned.remove().unpin();
    }
  }

  /**
   * Reads an SST from its first byte to its last. Called after it was copied: what was damaged
   * before that is found.
   *
   * @throws io.sifr.error.CorruptionException when it is damaged
   */
  public void verify(Sst sst) {
    try (SstReader reader = SstReader.open(access, sst.meta())) {
      reader.verify();
    }
  }

  /** A value file of the store, as long as an SST that refers to it was not gone through. */
  public ValueFile values(long number) {
    return access.values().file(number);
  }

  /** Writes the manifest of a store with this content, and makes CURRENT name it. */
  public void writeManifest(Path target) {
    Manifest.startNew(setup.fileSystem(), target, catalog.nextNumber(), catalog).close();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Failures failures = new Failures();
    failures.collect(this::releaseLog);
    pinned.forEach(sst -> failures.collect(sst::unpin));
    pinned.clear();
    failures.collect(whenClosed);
    failures.throwFirst();
  }
}
