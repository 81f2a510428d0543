package io.sifr.internal.backup;

import io.sifr.internal.engine.Opening;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
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

  private NewStore(
      StoreFileSystem fileSystem, Path directory, boolean isNew, DirectoryLock lock) {
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
    if (!isNew) {
      requireFree(fileSystem, target);
    }
    Path directory = DurableDirectories.create(fileSystem, target, existing -> false);
    DirectoryLock lock = fileSystem.lock(directory, Opening.LOCK_FILE);
    NewStore store = new NewStore(fileSystem, directory, isNew, lock);
    try {
      requireFree(fileSystem, directory); // nobody else can begin one there any more
      Current.markUnfinished(fileSystem, directory);
      fileSystem.syncDirectory(directory);
      store.deleteFiles(name -> !Current.isNameOf(name));
      return store;
    } catch (IllegalArgumentException e) {
      lock.close();
      throw e;
    } catch (RuntimeException | Error e) {
      store.closeAfter(e);
      throw e;
    }
  }

  private static void requireFree(StoreFileSystem fileSystem, Path target) {
    List<String> names = fileSystem.list(target);
    boolean isFree =
        Current.isUnfinished(fileSystem, target)
            ? names.stream().allMatch(NewStore::isOfStore)
            : names.stream().allMatch(Opening.LOCK_FILE::equals);
    if (!isFree) {
      throw new IllegalArgumentException(
          target + " is not empty; a copy of a store is made in an empty or a new directory");
    }
  }

  private static boolean isOfStore(String name) {
    return name.equals(Opening.LOCK_FILE)
        || Current.isNameOf(name)
        || FileKind.SST.numberOf(name).isPresent()
        || FileKind.WAL.numberOf(name).isPresent()
        || FileKind.MANIFEST.numberOf(name).isPresent();
  }

  /** Where the files of the copy belong; its real path. */
  Path directory() {
    return directory;
  }

  /** The copy is a store: CURRENT is durable. */
  void finish() {
    finished = true;
  }

  private interface Names {
    boolean contain(String name);
  }

  private void deleteFiles(Names chosen) {
    for (String name : fileSystem.list(directory)) {
      if (isOfStore(name) && !name.equals(Opening.LOCK_FILE) && chosen.contain(name)) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** Ends the copy; if it is not finished, nothing of it is left. */
  @Override
  public void close() {
    Failures failures = new Failures();
    if (!finished) {
      // While the mark is there, the rest can be deleted later. CURRENT goes first: whether it is
      // durable is not known.
      failures.collect(() -> Current.delete(fileSystem, directory));
      failures.collect(() -> deleteFiles(name -> !Current.isNameOf(name)));
      failures.collect(() -> deleteFiles(name -> true));
    }
    failures.collect(lock::close);
    if (!finished && failures.isEmpty()) {
      failures.collect(() -> fileSystem.delete(directory.resolve(Opening.LOCK_FILE)));
      if (isNew) {
        failures.collect(() -> fileSystem.delete(directory));
      }
    }
    failures.throwFirst();
  }
}
