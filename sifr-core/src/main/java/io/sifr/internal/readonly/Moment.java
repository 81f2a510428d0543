package io.sifr.internal.readonly;

import io.sifr.config.DatabaseOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.wal.ReferredValues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A store as it is at one moment, while its writer, which knows nothing of it, goes on: what the
 * next opening would find if the writer were killed then.
 *
 * <p>The manifest is read, the SSTs that it names are mapped, and the log is read. Together they
 * contain all writes up to the last in the log, unless a part of the log had been flushed and given
 * back before it was read, or something had happened meanwhile that is not in the log. So the
 * manifest is read once more: if nothing was flushed or ingested, neither can be. Compactions make
 * no difference. If something was, the log itself shows it, as long as each sequence number belongs
 * to one of its records. If it does not, or a database was created, altered or dropped, all of this
 * is done again; what was read of the log is kept, so it takes less each time.
 *
 * <p>Thread-safe.
 */
public final class Moment implements AutoCloseable {
  private static final int MOST_ATTEMPTS = 1000;

  /**
   * The most attempts: a file that is read while it is written may look damaged, but not again and
   * again.
   */
  private static final int MOST_DAMAGED = 20;

  private final StoreFileSystem disk;
  private final Path directory;
  private final HeldFiles ssts;
  private final Found found;

  private Moment(StoreFileSystem disk, Path directory, HeldFiles ssts, Found found) {
    this.disk = disk;
    this.directory = directory;
    this.ssts = ssts;
    this.found = found;
  }

  /**
   * A moment.
   *
   * @param files the directory as it was
   * @param catalog that was read of the manifest
   */
  private record Found(MomentFileSystem files, Catalog catalog) {}

  /**
   * A store as it is now.
   *
   * @param directory its real path
   * @throws CorruptionException when the manifest or the log is damaged
   * @throws SifrException when files cannot be read, or are changed too often
   */
  public static Moment now(StoreFileSystem disk, Path directory) {
    return now(disk, directory, new HeldFiles());
  }

  /**
   * The same store as it is now. Files that both need are mapped once; each is closed by itself.
   *
   * @param now its files, which may lie in other directories than they did
   * @throws IllegalStateException when this one is closed
   */
  Moment later(StoreFileSystem now) {
    return now(now, directory, ssts.copy());
  }

  private static Moment now(StoreFileSystem disk, Path directory, HeldFiles ssts) {
    try {
      return new Moment(disk, directory, ssts, new Search(disk, directory, ssts).run());
    } catch (RuntimeException | Error e) {
      ssts.close();
      throw e;
    }
  }

  /** The directory at that moment, as long as this is not closed. */
  public StoreFileSystem files() {
    return found.files();
  }

  /**
   * The log of its changes.
   *
   * @param opened that of the engine over it
   */
  ChangeLog changes(ChangeLog opened) {
    return new MomentChangeLog(opened, disk, found.files(), directory, found.catalog());
  }

  @Override
  public void close() {
    ssts.close();
  }

  /** The search for a moment at which the store stays the same while it is read. */
  private static final class Search {
    private final StoreFileSystem disk;
    private final Path directory;
    private final HeldFiles ssts;
    private final LogCopy log;

    Search(StoreFileSystem disk, Path directory, HeldFiles ssts) {
      this.disk = disk;
      this.directory = directory;
      this.ssts = ssts;
      this.log = new LogCopy(disk, directory);
    }

    Found run() {
      int damaged = 0;
      for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        Catalog before = null;
        try {
          before = catalog();
          Found found = attempt(before);
          if (found != null) {
            return found;
          }
        } catch (SifrException e) {
          // Files may be replaced, deleted or half written while they are read.
          if (!hasChangedSince(before) && ++damaged == MOST_DAMAGED) {
            throw e;
          }
        }
        log.keepSealed();
      }
      throw new SifrException(
          directory + " is changed so often that it cannot be read as it is at one moment");
    }

    private Catalog catalog() {
      return Manifest.recover(disk, directory).catalog();
    }

    /** Returns the directory; null when it was changed meanwhile. */
    private @Nullable Found attempt(Catalog before) {
      Set<Path> missing = ssts.hold(disk, paths(before));
      log.read(before.firstSegment());
      Catalog after = catalog();
      if (!isLogOfBoth(before, after)
          && !(haveSameDatabases(before, after) && log.containsAllSince(before))) {
        return null;
      }
      if (!paths(after).containsAll(missing)) {
        return null; // else opening the store reports them
      }
      requireNotLost(after, missing);
      MomentFileSystem files = new MomentFileSystem(disk, directory, ssts);
      log.addTo(files);
      ValueFiles values = new ValueFiles(files, directory, codec -> null); // as they are stored
      ReferredValues referred =
          new ReferredValues(values, (id, at) -> isInLogAlone(before, id, at));
      if (!ssts.holdMore(disk, valuesOfLog(files, referred)) && hasChangedSince(before)) {
        return null;
      }
      List<ForestEdit> edits = new ArrayList<>(log.close(files, before, referred));
      edits.add(new ForestEdit.NumbersReserved(beyond(files, before)));
      if (before.history() != null) {
        // What is only retained may be overwritten at any time.
        edits.add(new ForestEdit.LogRetained(Retention.NONE, before.nextSequence()));
      }
      Catalog closed = before.apply(edits);
      Manifest.startNew(files, directory, closed.nextNumber(), closed).close();
      return new Found(files, before);
    }

    /** A number that no file has; some may have been made since the manifest was read first. */
    private long beyond(MomentFileSystem files, Catalog catalog) {
      long next = catalog.nextNumber();
      for (String name : files.list(directory)) {
        for (FileKind kind : FileKind.values()) {
          next = Math.max(next, 1 + kind.numberOf(name).orElse(0L));
        }
      }
      return next;
    }

    /** What was lost with a fast directory that does not last is in the log, and not read there. */
    private void requireNotLost(Catalog catalog, Set<Path> missing) {
      if (missing.isEmpty() || catalog.firstLogged() == LogicalTree.NOT_LOGGED) {
        return;
      }
      for (Forest forest : catalog.forests()) {
        for (Sst sst : forest.ssts()) {
          Path path = FileKind.SST.path(directory, sst.number());
          if (sst.meta().logged() != null && missing.contains(path)) {
            throw new SifrException(
                "files in the fast directory of "
                    + directory
                    + " are lost, "
                    + path.getFileName()
                    + " for instance; open the store for writing, which makes them again");
          }
        }
      }
    }

    private static boolean isInLogAlone(Catalog catalog, int databaseId, long sequence) {
      return catalog
          .forest(databaseId)
          .filter(forest -> sequence > forest.flushedSequence())
          .isPresent();
    }

    /** The value files that are needed because of the log alone. */
    private Set<Path> valuesOfLog(MomentFileSystem files, ReferredValues referred) {
      Set<Path> paths = new HashSet<>();
      log.visit(
          files,
          (first, count, array, offset, length) ->
              referred.visit(
                  first,
                  array,
                  offset,
                  length,
                  (reference, key) -> {
                    paths.add(FileKind.VALUES.path(directory, reference.file()));
                    return true;
                  }));
      return paths;
    }

    private Set<Path> paths(Catalog catalog) {
      Set<Path> paths = new HashSet<>();
      for (Forest forest : catalog.forests()) {
        for (Sst sst : forest.ssts()) {
          paths.add(FileKind.SST.path(directory, sst.number()));
          for (ValueUse use : sst.meta().values()) {
            paths.add(FileKind.VALUES.path(directory, use.file()));
          }
        }
      }
      return paths;
    }

    /** Whether what one catalog needs of the log the other needs, too, and for the same. */
    private static boolean isLogOfBoth(Catalog one, Catalog other) {
      return one.firstSegment() == other.firstSegment()
          && haveSameDatabases(one, other)
          && flushed(one).equals(flushed(other));
    }

    private static boolean haveSameDatabases(Catalog one, Catalog other) {
      return Objects.equals(one.logClosed(), other.logClosed())
          && options(one).equals(options(other));
    }

    private static Map<Integer, DatabaseOptions> options(Catalog catalog) {
      return catalog.forests().stream()
          .collect(Collectors.toMap(Forest::databaseId, Forest::options));
    }

    private static Map<Integer, Long> flushed(Catalog catalog) {
      return catalog.forests().stream()
          .collect(Collectors.toMap(Forest::databaseId, Forest::flushedSequence));
    }

    private boolean hasChangedSince(@Nullable Catalog before) {
      try {
        return before != null && !isLogOfBoth(before, catalog());
      } catch (SifrException e) {
        return false;
      }
    }
  }
}
