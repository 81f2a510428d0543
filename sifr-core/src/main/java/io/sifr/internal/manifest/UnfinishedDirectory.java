package io.sifr.internal.manifest;

import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and removes the directory of a store: {@link Current#markUnfinished marked} from its
 * first moment to its last, by being renamed with the mark in it. A directory that is found empty
 * would be taken for that of a new store, after a process was killed.
 */
public final class UnfinishedDirectory {
  private static final String SUFFIX = ".unfinished";

  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedDirectory.class);

  private UnfinishedDirectory() {}

  /**
   * Makes a directory that does not exist, with its parents, in which there is the mark. Its name
   * is durable.
   *
   * @return its real path
   * @throws IllegalArgumentException when there is a directory of the name under which it is made
   * @throws StoreIoException when it exists meanwhile, among others
   */
  public static Path create(StoreFileSystem fileSystem, Path directory) {
    Path path = directory.toAbsolutePath().normalize();
    Path parent = Objects.requireNonNull(path.getParent(), "the root exists");
    Path real =
        DurableDirectories.create(fileSystem, parent, existing -> false)
            .resolve(Objects.requireNonNull(path.getFileName()));
    Path prepared = beside(real);
    fileSystem.createDirectories(prepared);
    if (!fileSystem.list(prepared).stream().allMatch(Current::isNameOfMark)) {
      throw new IllegalArgumentException(
          prepared + " is in the way: it is needed to make " + directory);
    }
    try {
      Current.markUnfinished(fileSystem, prepared);
      fileSystem.syncDirectory(prepared);
      fileSystem.rename(prepared, real);
    } catch (RuntimeException | Error e) {
      try {
        clear(fileSystem, prepared, name -> false);
      } catch (SifrException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
    fileSystem.syncDirectory(Objects.requireNonNull(real.getParent()));
    return real;
  }

  /**
   * Deletes a directory with the mark.
   *
   * @param directory its real path
   * @param isOfStore which of the files in it are deleted with it
   */
  public static void remove(
      StoreFileSystem fileSystem, Path directory, Predicate<String> isOfStore) {
    clear(fileSystem, rename(fileSystem, directory, isOfStore), isOfStore);
  }

  /** Deletes what a killed {@link #remove} of a directory has left beside it. */
  public static void removeLeftOver(
      StoreFileSystem fileSystem, Path directory, Predicate<String> isOfStore) {
    Path beside = beside(directory.toAbsolutePath().normalize());
    if (fileSystem.exists(beside) && isLeftOver(fileSystem, beside, isOfStore)) {
      clear(fileSystem, beside, isOfStore);
    }
  }

  /** A store that has lost its CURRENT has no mark; it may be salvaged. */
  private static boolean isLeftOver(
      StoreFileSystem fileSystem, Path beside, Predicate<String> isOfStore) {
    List<String> names = fileSystem.list(beside);
    return names.isEmpty()
        || (Current.isUnfinished(fileSystem, beside) && names.stream().allMatch(isOfStore));
  }

  /** Returns the path under which the directory is now. */
  private static Path rename(
      StoreFileSystem fileSystem, Path directory, Predicate<String> isOfStore) {
    Path beside = beside(directory);
    try {
      removeLeftOver(fileSystem, directory, isOfStore);
      fileSystem.rename(directory, beside);
      fileSystem.syncDirectory(Objects.requireNonNull(directory.getParent()));
      return beside;
    } catch (StoreIoException e) {
      LOG.debug("{} is deleted where it is: {}", directory, e.getMessage()); // a mount point
      return directory;
    }
  }

  /** Deletes a directory; the mark goes last, also if the power fails. */
  private static void clear(
      StoreFileSystem fileSystem, Path directory, Predicate<String> isOfStore) {
    for (String name : fileSystem.list(directory)) {
      if (isOfStore.test(name) && !Current.isNameOfMark(name)) {
        fileSystem.delete(directory.resolve(name));
      }
    }
    fileSystem.syncDirectory(directory);
    Current.deleteMark(fileSystem, directory);
    fileSystem.delete(directory);
  }

  private static Path beside(Path directory) {
    return directory.resolveSibling(directory.getFileName() + SUFFIX);
  }
}
