package io.sifr.internal.offline;

import io.sifr.error.ForeignDirectoryException;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreFileNames;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.ForeignDirectory;
import io.sifr.internal.manifest.UnfinishedDirectory;
import io.sifr.internal.volume.StoreVolumes;
import java.nio.file.Path;
import java.util.List;

/**
 * Deletes a store. While that lasts, and after a crash in the middle of it, the directory is marked
 * as unfinished, so nothing opens what is left as a store.
 */
public final class Removal {
  private Removal() {}

  /**
   * Deletes the store in a directory, or what is left of one.
   *
   * @param given the directory; if it is a symbolic link, the directory that it names stays, empty
   * @throws ForeignDirectoryException when it has a CURRENT that is not of a store
   */
  public static void remove(StoreFileSystem fileSystem, Path given) {
    if (!fileSystem.isDirectory(given)) {
      UnfinishedDirectory.removeLeftOver(fileSystem, given, StoreFileNames::isOfStore);
      return;
    }
    Path directory = fileSystem.realPath(given);
    if (!holdsStore(fileSystem, directory)) {
      return;
    }
    StoreFileSystem all = StoreVolumes.ofTool(fileSystem, directory);
    try (DirectoryLock lock = fileSystem.lock(directory, Opening.LOCK_FILE)) {
      Current.markUnfinished(fileSystem, directory);
      fileSystem.syncDirectory(directory);
      Current.delete(fileSystem, directory);
      fileSystem.syncDirectory(directory);
      for (String name : all.list(directory)) {
        if (StoreFileNames.isOfStore(name)
            && !name.equals(Opening.LOCK_FILE)
            && !Current.isNameOfMark(name)
            && !StoreVolumes.isNameOfMark(name)) {
          all.delete(directory.resolve(name));
        }
      }
      all.syncDirectory(directory);
      StoreVolumes.end(fileSystem, directory, Opening.LOCK_FILE);
      fileSystem.syncDirectory(directory);
    }
    if (!isLink(fileSystem, given, directory)
        && fileSystem.list(directory).stream().allMatch(StoreFileNames::isOfStore)) {
      UnfinishedDirectory.remove(fileSystem, directory, StoreFileNames::isOfStore);
    } else {
      fileSystem.delete(directory.resolve(Opening.LOCK_FILE));
      Current.deleteMark(fileSystem, directory);
    }
  }

  private static boolean isLink(StoreFileSystem fileSystem, Path given, Path real) {
    Path path = given.toAbsolutePath().normalize();
    Path parent = path.getParent();
    return parent == null
        || !fileSystem.realPath(parent).resolve(parent.relativize(path)).equals(real);
  }

  /** Other products have a CURRENT and a LOCK, too: beside their files these prove nothing. */
  private static boolean holdsStore(StoreFileSystem fileSystem, Path directory) {
    ForeignDirectory.refuse(fileSystem, directory);
    List<String> names = fileSystem.list(directory);
    if (names.stream().anyMatch(StoreFileNames::isOfStoreAlone)
        || ForeignDirectory.isCurrentOfSifr(fileSystem, directory)) {
      return true;
    }
    if (fileSystem.exists(Current.path(directory))) {
      throw new ForeignDirectoryException(
          directory,
          "its CURRENT is not one that Sifr writes, and nothing else in it is of a store");
    }
    return names.equals(List.of(Opening.LOCK_FILE));
  }
}
