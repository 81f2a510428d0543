package io.sifr.inspect.salvage;

import io.sifr.error.SifrException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.UnfinishedDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that a store is rescued into. The store is created in a directory within it, and
 * its files are moved up when it is complete, CURRENT last: until then it cannot be opened and
 * mistaken for the complete result. Within it and not beside it, because it may be on a device of
 * its own.
 */
final class SalvageTarget implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SalvageTarget.class);
  private static final String STORE = "salvaging";
  private static final String LOG_ENTRIES = "salvaging-log";
  private static final String CURRENT = "CURRENT";

  /** The files of a closed store. */
  private static final Set<FileKind> PUBLISHED =
      EnumSet.of(FileKind.SST, FileKind.VALUES, FileKind.MANIFEST);

  private final StoreFileSystem files;
  private final Path directory;
  private final boolean isNew;
  private boolean isPublished;

  private SalvageTarget(StoreFileSystem files, Path directory, boolean isNew) {
    this.files = files;
    this.directory = directory;
    this.isNew = isNew;
  }

  /**
   * Creates the directory, if it does not exist.
   *
   * @param source the directory that is salvaged, as a real path
   * @throws IllegalArgumentException when the target holds anything but what a salvage that was not
   *     finished has left, or lies in the source
   */
  static SalvageTarget prepare(StoreFileSystem files, Path source, Path target) {
    Path absolute = target.toAbsolutePath().normalize();
    Path existing = absolute;
    while (!files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    if (files.realPath(existing).resolve(existing.relativize(absolute)).startsWith(source)) {
      throw new IllegalArgumentException(
          target + " lies in " + source + ", to which nothing is to be written");
    }
    boolean isNew = !existing.equals(absolute);
    if (!isNew && !isFree(files, absolute)) {
      throw new IllegalArgumentException(target + " is not empty");
    }
    if (isNew) {
      UnfinishedDirectory.create(files, absolute);
    }
    SalvageTarget prepared = new SalvageTarget(files, absolute, isNew);
    try {
      Current.markUnfinished(files, absolute);
      files.syncDirectory(absolute);
      prepared.deleteParts();
      files.createDirectories(prepared.store());
      files.createDirectories(prepared.logEntries());
      return prepared;
    } catch (Throwable e) {
      prepared.close();
      throw e;
    }
  }

  private static boolean isFree(StoreFileSystem files, Path directory) {
    List<String> names = files.list(directory);
    return names.isEmpty()
        || (Current.isUnfinished(files, directory)
            && names.stream().allMatch(SalvageTarget::isOfSalvage));
  }

  private static boolean isOfSalvage(String name) {
    return name.equals(STORE)
        || name.equals(LOG_ENTRIES)
        || Current.isNameOfMark(name)
        || PUBLISHED.stream().anyMatch(kind -> kind.numberOf(name).isPresent());
  }

  /** Where the store is created. */
  Path store() {
    return directory.resolve(STORE);
  }

  /** Where entries of the log are kept temporarily. */
  Path logEntries() {
    return directory.resolve(LOG_ENTRIES);
  }

  /** Moves the closed store to its final directory. */
  void publish() {
    List<String> numbered = new ArrayList<>();
    for (String name : files.list(store())) {
      if (PUBLISHED.stream().anyMatch(kind -> kind.numberOf(name).isPresent())) {
        numbered.add(name);
      }
    }
    for (String name : numbered) {
      files.rename(store().resolve(name), directory.resolve(name));
    }
    files.syncDirectory(directory);
    files.rename(store().resolve(CURRENT), directory.resolve(CURRENT));
    files.syncDirectory(directory);
    Path parent = directory.getParent();
    if (isNew && parent != null) {
      files.syncDirectory(parent);
    }
    isPublished = true;
    Current.deleteMark(files, directory);
  }

  /** Deletes what does not belong to the store: everything, if it was not published. */
  @Override
  public void close() {
    if (isPublished) {
      delete(store());
      delete(logEntries());
      return;
    }
    deleteQuietly(directory.resolve(CURRENT)); // whether it is durable is not known
    try {
      deleteParts();
      if (isNew) {
        UnfinishedDirectory.remove(files, directory, SalvageTarget::isOfSalvage);
      } else {
        Current.deleteMark(files, directory);
      }
    } catch (SifrException e) {
      LOG.warn("{} stays as it is", directory, e);
    }
  }

  /** Deletes all but the mark. */
  private void deleteParts() {
    delete(store());
    delete(logEntries());
    for (String name : files.list(directory)) {
      if (isOfSalvage(name) && !Current.isNameOfMark(name)) {
        deleteQuietly(directory.resolve(name));
      }
    }
  }

  private void delete(Path temporary) {
    if (files.exists(temporary)) {
      deleteFiles(temporary);
      deleteQuietly(temporary);
    }
  }

  private void deleteFiles(Path parent) {
    try {
      files.list(parent).forEach(name -> deleteQuietly(parent.resolve(name)));
    } catch (SifrException e) {
      LOG.warn("{} stays as it is", parent, e);
    }
  }

  private void deleteQuietly(Path file) {
    try {
      files.delete(file);
    } catch (SifrException e) {
      LOG.warn("{} is not needed and cannot be deleted", file, e);
    }
  }
}
