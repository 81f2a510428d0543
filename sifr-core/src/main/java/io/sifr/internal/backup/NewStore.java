package io.sifr.internal.backup;

import io.sifr.error.SifrException;
import io.sifr.error.StoreLockedException;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreFileNames;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.UnfinishedDirectory;
import io.sifr.internal.util.Failures;
import java.nio.file.Path;
import java.util.List;

/**
 * A directory in which a copy of a store is made. Until CURRENT is there, as the last file, the
 * directory is marked as unfinished: nothing opens it as a store, and the next attempt begins by
 * deleting what a killed one has left. It is locked meanwhile.
 *
 * <p>Used by one thread.
 */
final class NewStore implements AutoCloseable {
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final boolean isNew;
  private final DirectoryLock lock;
  private boolean finished;

  private NewStore(StoreFileSystem fileSystem, Path directory, boolean isNew, DirectoryLock lock) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.isNew = isNew;
    this.lock = lock;
  }

  /**
   * Begins a copy.
   *
   * @param target a directory that is empty, does not exist, or holds an unfinished copy
   * @throws IllegalArgumentException when it holds anything else
   */
  static NewStore begin(StoreFileSystem fileSystem, Path target) {
    boolean isNew = !fileSystem.exists(target);
    boolean isMarkNew = true;
    Path directory;
    if (isNew) {
      directory = UnfinishedDirectory.create(fileSystem, target);
    } else {
      requireFree(fileSystem, target);
      directory = DurableDirectories.create(fileSystem, target, existing -> false);
      // Before the lock file: one alone would be taken for a new store.
      isMarkNew = Current.markUnfinished(fileSystem, directory);
    }
    DirectoryLock lock;
    try {
      fileSystem.syncDirectory(directory);
      lock = fileSystem.lock(directory, Opening.LOCK_FILE);
    } catch (RuntimeException | Error e) {
      if (isMarkNew) {
        undoAfter(e, fileSystem, directory, isNew);
      }
      throw e;
    }
    NewStore store = new NewStore(fileSystem, directory, isNew, lock);
    try {
      requireFree(fileSystem, directory); // nobody else can begin one there any more
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
    try {
      Current.markUnfinished(fileSystem, directory); // who had the lock before may have deleted it
      store.deleteFiles();
      return store;
    } catch (RuntimeException | Error e) {
      try {
        store.close();
      } catch (SifrException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /** Deletes what was made, as long as nobody else uses it. */
  private static void undoAfter(
      Throwable failure, StoreFileSystem fileSystem, Path directory, boolean isNew) {
    if (failure instanceof StoreLockedException && isNew) {
      return; // somebody else goes on with it
    }
    try {
      undo(fileSystem, directory, isNew);
    } catch (SifrException e) {
      failure.addSuppressed(e);
    }
  }

  private static void undo(StoreFileSystem fileSystem, Path directory, boolean isNew) {
    if (isNew) {
      UnfinishedDirectory.remove(fileSystem, directory, StoreFileNames::isOfStore);
    } else {
      fileSystem.delete(directory.resolve(Opening.LOCK_FILE));
      Current.deleteMark(fileSystem, directory);
    }
  }

  private static void requireFree(StoreFileSystem fileSystem, Path target) {
    List<String> names = fileSystem.list(target);
    boolean isFree =
        Current.isUnfinished(fileSystem, target)
            ? names.stream().allMatch(StoreFileNames::isOfStore)
            : names.stream().allMatch(Opening.LOCK_FILE::equals);
    if (!isFree) {
      throw new IllegalArgumentException(
          target + " is not empty; a copy of a store is made in an empty or a new directory");
    }
  }

  /** Where the files of the copy belong; its real path. */
  Path directory() {
    return directory;
  }

  /** The copy is a store: CURRENT is durable. */
  void finish() {
    Current.deleteMark(fileSystem, directory);
    finished = true;
  }

  /** Deletes all but the mark and the lock. */
  private void deleteFiles() {
    for (String name : fileSystem.list(directory)) {
      if (StoreFileNames.isOfStore(name)
          && !name.equals(Opening.LOCK_FILE)
          && !Current.isNameOfMark(name)) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }

  /** Ends the copy; if it is not finished, nothing of it is left. */
  @Override
  public void close() {
    Failures failures = new Failures();
    if (!finished) {
      // As long as the mark is there, the rest can be deleted later. CURRENT goes first: whether it
      // is durable is not known.
      failures.collect(() -> Current.delete(fileSystem, directory));
      failures.collect(this::deleteFiles);
    }
    failures.collect(lock::close);
    if (!finished && failures.isEmpty()) {
      failures.collect(() -> undo(fileSystem, directory, isNew));
    }
    failures.throwFirst();
  }
}
