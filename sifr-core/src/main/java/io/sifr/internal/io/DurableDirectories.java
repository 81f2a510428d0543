package io.sifr.internal.io;

import io.sifr.error.StoreIoException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates directories whose names outlast a power failure. */
public final class DurableDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(DurableDirectories.class);

  private DurableDirectories() {}

  /**
   * Creates a directory with its parents, and makes all their names durable: without those,
   * everything synced in it is lost. An earlier process may have created them and been killed
   * before it synced them, which is not known: so those that exist are synced as well.
   *
   * @param isDurable whether what a directory holds proves that its name is durable; only called if
   *     it exists
   * @return its real path
   */
  public static Path create(StoreFileSystem fileSystem, Path directory, Predicate<Path> isDurable) {
    int made = 0;
    for (Path path = directory.toAbsolutePath();
        path != null && !fileSystem.exists(path);
        path = path.getParent()) {
      made++;
    }
    fileSystem.createDirectories(directory);
    Path real = fileSystem.realPath(directory);
    if (!isDurable.test(real)) {
      syncParents(fileSystem, real, made);
    }
    return real;
  }

  /**
   * Syncs all directories above that one.
   *
   * @param made in how many of them something was created; others may belong to other users, and
   *     this process may be unable to sync them
   */
  private static void syncParents(StoreFileSystem fileSystem, Path directory, int made) {
    int left = made;
    for (Path parent = directory.getParent(); parent != null; parent = parent.getParent()) {
      try {
        fileSystem.syncDirectory(parent);
      } catch (StoreIoException e) {
        if (left > 0) {
          throw e;
        }
        LOG.debug("a directory above cannot be synced: {}", e.getMessage());
      }
      left--;
    }
  }
}
