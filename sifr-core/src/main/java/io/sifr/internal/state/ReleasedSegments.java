package io.sifr.internal.state;

import io.sifr.error.SifrException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of a store's log that no write buffer needs: they are released to be used again,
 * retained as long as the options say, or given back to the disk; nothing of it while the log is
 * held.
 *
 * <p>Thread-safe.
 */
public final class ReleasedSegments {
  private static final Logger LOG = LoggerFactory.getLogger(ReleasedSegments.class);

  private final Setup setup;
  private final CatalogStore catalog;
  private final RetainedLog retained;
  private final Supplier<@Nullable WalWriter> writer;

  /** Held while segments are released or given back, so that none is twice. */
  private final Object givingBack = new Object();

  /** Segments before this one are used by no writer any more; guarded by givingBack. */
  private long releasedBefore;

  private final Object releasing = new Object();

  /** How many holds there are; guarded by releasing. */
  private int holds;

  /** The first segment that is not to be released when the last hold ends; guarded by releasing. */
  private long releasable;

  /** Segments that are retained no more, to be disposed of then; guarded by releasing. */
  private final List<LogHistory.Segment> disposable = new ArrayList<>();

  /**
   * Those of a log that was just opened.
   *
   * @param writer the writer of the log; null as long as nothing is logged
   */
  ReleasedSegments(
      Setup setup,
      CatalogStore catalog,
      RetainedLog retained,
      Supplier<@Nullable WalWriter> writer) {
    this.setup = setup;
    this.catalog = catalog;
    this.retained = retained;
    this.writer = writer;
    this.releasedBefore = catalog.catalog().firstSegment();
  }

  /**
   * Releases the segments before that one, as far as the manifest says that they are obsolete;
   * those that are {@link #hold held} later.
   */
  public void release(long unneededBefore) {
    long firstNeeded = Math.min(unneededBefore, catalog.catalog().firstSegment());
    synchronized (releasing) {
      releasable = Math.max(releasable, firstNeeded);
      if (holds > 0) {
        return;
      }
    }
    releaseNow(firstNeeded);
    giveBackDue();
  }

  /** Gives back what is not to be retained any longer. */
  public void giveBackDue() {
    synchronized (givingBack) {
      var unused = giveBack(retained.due(), false);
    }
  }

  /**
   * Gives back segments because the disk is full: all that are kept for recycling, and the oldest
   * of those that are only retained.
   *
   * @param bytes how many bytes are wanted
   * @return whether there were any
   */
  public boolean makeSpace(long bytes) {
    WalWriter log = writer.get();
    long recycled = log == null ? 0 : log.deleteKept();
    synchronized (givingBack) {
      boolean gaveBack =
          retained.history() != null && giveBack(retained.oldest(bytes - recycled), true);
      return gaveBack || recycled > 0;
    }
  }

  private void delete(LogHistory.Segment segment) {
    setup.fileSystem().delete(FileKind.WAL.path(setup.directory(), segment.number()));
  }

  /**
   * Gives back segments, as far as they are released already: those that the last flush has made
   * obsolete are retained a moment before. None to make space while the log is held, for that would
   * make none. Guarded by givingBack.
   */
  private boolean giveBack(List<LogHistory.Segment> oldest, boolean forSpace) {
    List<LogHistory.Segment> segments =
        oldest.stream().takeWhile(segment -> segment.number() < releasedBefore).toList();
    if (segments.isEmpty() || (forSpace && isHeld())) {
      return false;
    }
    try {
      retained.giveBack(segments);
    } catch (SifrException e) {
      LOG.warn("retained log segments cannot be given back: {}", e.getMessage());
      return false;
    }
    dispose(segments, forSpace);
    return true;
  }

  /** Disposes of segments about which the manifest says nothing any more; if it is held, later. */
  private void dispose(List<LogHistory.Segment> segments, boolean forSpace) {
    synchronized (releasing) {
      if (holds > 0) { // whoever copies the log may have seen them as needed
        disposable.addAll(segments);
        return;
      }
    }
    segments.forEach(segment -> dispose(segment, forSpace));
  }

  /**
   * Another log has taken the place of one that has failed: closes that, and deletes what there was
   * of it; if it is held, what it had needed stays until the store is closed.
   *
   * @param before what was retained of it
   */
  void replaced(WalWriter failed, List<LogHistory.Segment> before) {
    dispose(before, true);
    try {
      if (isHeld()) {
        failed.close();
      } else {
        failed.discard();
      }
    } catch (SifrException e) {
      LOG.warn("files of the log that has failed stay for now: {}", e.getMessage());
    }
  }

  private void dispose(LogHistory.Segment segment, boolean forSpace) {
    WalWriter log = writer.get();
    try {
      if (log == null || forSpace) {
        delete(segment);
      } else {
        log.giveBack(segment.number(), Math.toIntExact(segment.bytes()));
      }
    } catch (SifrException e) {
      LOG.warn("a log segment is not needed any more but stays for now: {}", e.getMessage());
    }
  }

  private boolean isHeld() {
    synchronized (releasing) {
      return holds > 0;
    }
  }

  /** From now on no segment is released, and so none overwritten, until {@link #endHold}. */
  public void hold() {
    synchronized (releasing) {
      holds++;
    }
  }

  /** Ends a hold; with the last one, what was to be released meanwhile is. */
  public void endHold() {
    long first;
    List<LogHistory.Segment> left;
    synchronized (releasing) {
      holds--;
      if (holds > 0) {
        return;
      }
      first = releasable;
      left = List.copyOf(disposable);
      disposable.clear();
    }
    releaseNow(first);
    left.forEach(segment -> dispose(segment, false));
  }

  private void releaseNow(long firstNeeded) {
    synchronized (givingBack) {
      WalWriter log = writer.get();
      if (log != null) {
        try {
          log.release(firstNeeded, catalog.catalog()::isRetained);
        } catch (SifrException e) {
          // The segments are released nevertheless, and replay ignores them.
          LOG.warn("a log segment is not needed any more but stays for now: {}", e.getMessage());
        }
      }
      releasedBefore = Math.max(releasedBefore, firstNeeded);
    }
  }

  /**
   * Deletes segments that a recovery does not need either, and unfinished ones, for their space;
   * called when it is certain that the manifest is durable.
   */
  public static void deleteObsolete(StoreFileSystem fileSystem, Path directory, Catalog catalog) {
    for (String name : fileSystem.list(directory)) {
      boolean isObsolete =
          FileKind.WAL
              .numberOf(name)
              .map(number -> number < catalog.firstSegment() && !catalog.isRetained(number))
              .orElseGet(() -> WalWriter.isUnfinishedSegment(name));
      if (isObsolete) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }

  /**
   * Deletes all log segments, including unfinished ones, except those that are retained, and those
   * of a log that was closed in order. Called only when the manifest says that no others are
   * needed.
   */
  public static void deleteUnneeded(StoreFileSystem fileSystem, Path directory, Catalog catalog) {
    WalEnd closed = catalog.logClosed();
    for (String name : fileSystem.list(directory)) {
      Long number = FileKind.WAL.numberOf(name).orElse(null);
      boolean isNeeded =
          number != null
              && (catalog.isRetained(number)
                  || (closed != null
                      && number >= catalog.firstSegment()
                      && number <= closed.segment()));
      if (!isNeeded && (number != null || WalWriter.isUnfinishedSegment(name))) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }
}
