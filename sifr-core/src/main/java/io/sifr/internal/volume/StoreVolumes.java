package io.sifr.internal.volume;

import io.sifr.error.FastDirectoryException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the directories of a store. A store that has a fast directory is never read without it: it
 * would look like one that is damaged, or has lost writes.
 */
public final class StoreVolumes {
  private static final Logger LOG = LoggerFactory.getLogger(StoreVolumes.class);

  private StoreVolumes() {}

  /**
   * The settings of the user.
   *
   * @param path the fast directory; null: none, or what is left in one is moved out of it
   * @param mostBytes how many bytes of SSTs may lie in it
   * @param rowBytes about as many as a flush writes
   */
  public record Wanted(@Nullable Path path, long mostBytes, long rowBytes) {}

  /**
   * A store that was found.
   *
   * @param files in which all of its files seem to be in its directory
   * @param lock holds it
   */
  public record Found(StoreFileSystem files, DirectoryLock lock) {}

  /**
   * Opens a store for a writer.
   *
   * @param directory the store's, as a real path
   * @param lock of that, which this takes over when it returns
   * @param lockName name of the lock file in the fast directory
   * @throws FastDirectoryException when the fast directory is missing, or belongs to another store
   * @throws IllegalArgumentException when it cannot be one
   */
  public static Found open(
      StoreFileSystem disk, Path directory, DirectoryLock lock, String lockName, Wanted wanted) {
    if (wanted.path() == null
        && !disk.exists(directory.resolve(VolumeMark.FAST))
        && !disk.exists(directory.resolve(VolumeMark.NEW_FAST))) {
      return new Found(disk, lock); // as nearly all stores: no further class is needed
    }
    VolumeMark mark = VolumeMark.read(disk, directory, VolumeMark.FAST);
    VolumeMark.deleteLeftover(disk, directory, VolumeMark.FAST);
    Path path = wanted.path();
    if (mark != null && path != null && isAnother(disk, directory, mark, path)) {
      end(disk, directory, knownPath(mark), lockName);
      mark = null;
    }
    if (mark != null) {
      Path fast = path == null ? knownPath(mark) : given(disk, directory, path, mark);
      return again(new Both(disk, directory, fast, lockName), lock, mark, wanted);
    }
    if (path == null) {
      return new Found(disk, lock);
    }
    try {
      return first(disk, directory, lock, lockName, wanted);
    } catch (StoreFullException e) {
      LOG.warn(
          "{} is used without its fast directory until it is opened again: {}",
          directory,
          e.getMessage());
      return new Found(disk, lock);
    }
  }

  /** Both directories of a store. */
  private record Both(StoreFileSystem disk, Path directory, Path fast, String lockName) {
    Found found(DirectoryLock lock, DirectoryLock ofFast, Wanted wanted) {
      long mostBytes = wanted.path() == null ? 0 : wanted.mostBytes();
      FastDirectory own = new FastDirectory(disk, fast, mostBytes, wanted.rowBytes());
      return new Found(
          new Volumes(disk, directory, own),
          () -> {
            try {
              ofFast.close();
            } finally {
              lock.close();
            }
          });
    }
  }

  /** Whether a user has another one in mind than the store has, in which nothing is left. */
  private static boolean isAnother(
      StoreFileSystem disk, Path directory, VolumeMark mark, Path path) {
    Path known = knownPath(mark);
    return !isOwn(disk, mark, path)
        && belongs(disk, directory, mark, known)
        && FastDirectory.names(disk, known).isEmpty();
  }

  private static boolean isOwn(StoreFileSystem disk, VolumeMark mark, Path path) {
    VolumeMark owner =
        disk.isDirectory(path) ? VolumeMark.read(disk, path, VolumeMark.OWNER) : null;
    return owner != null && owner.id() == mark.id();
  }

  /** Whether it is its own, and not that of a store of which this is a copy. */
  private static boolean belongs(StoreFileSystem disk, Path directory, VolumeMark mark, Path path) {
    try {
      requireOwn(disk, directory, mark, path);
      return true;
    } catch (FastDirectoryException e) {
      return false;
    }
  }

  /** The store gets a fast directory. */
  private static Found first(
      StoreFileSystem disk, Path directory, DirectoryLock lock, String lockName, Wanted wanted) {
    Path fast =
        DurableDirectories.create(
            disk,
            Objects.requireNonNull(wanted.path()),
            existing -> disk.exists(existing.resolve(VolumeMark.OWNER)));
    requireApart(disk, directory, fast);
    DirectoryLock ofFast = disk.lock(fast, lockName);
    try {
      begin(disk, directory, fast, lockName);
      return new Both(disk, directory, fast, lockName).found(lock, ofFast, wanted);
    } catch (RuntimeException | Error e) {
      ofFast.close();
      throw e;
    }
  }

  /** It has one. */
  private static Found again(Both both, DirectoryLock lock, VolumeMark mark, Wanted wanted) {
    requireOwn(both.disk, both.directory, mark, both.fast);
    DirectoryLock ofFast = both.disk.lock(both.fast, both.lockName);
    try {
      if (wanted.path() == null && FastDirectory.names(both.disk, both.fast).isEmpty()) {
        end(both.disk, both.directory, both.fast, both.lockName);
        ofFast.close();
        return new Found(both.disk, lock);
      }
      try {
        moved(both.disk, both.directory, mark, both.fast);
      } catch (StoreFullException e) {
        LOG.debug("where the directories are now is written down by another opening", e);
      }
      return both.found(lock, ofFast, wanted);
    } catch (RuntimeException | Error e) {
      ofFast.close();
      throw e;
    }
  }

  /**
   * A store that is only read.
   *
   * @param directory the store's, however it is named: its files are asked for by that name
   * @throws FastDirectoryException as above
   */
  public static StoreFileSystem ofReader(StoreFileSystem disk, Path directory) {
    VolumeMark mark = VolumeMark.read(disk, directory, VolumeMark.FAST);
    if (mark == null) {
      return disk;
    }
    Path path = knownPath(mark);
    requireOwn(disk, disk.realPath(directory), mark, path);
    return new Volumes(disk, directory, new FastDirectory(disk, path, 0, 0));
  }

  /** As much of a store as is there: without its fast directory if that is not there. */
  public static StoreFileSystem ofTool(StoreFileSystem disk, Path directory) {
    try {
      return disk.isDirectory(directory) ? ofReader(disk, directory) : disk;
    } catch (SifrException e) {
      LOG.warn("what is in the fast directory is left out: {}", e.getMessage());
      return disk;
    }
  }

  /** Whether a file has a name of those that tie directories together. */
  public static boolean isNameOfMark(String name) {
    return VolumeMark.isNameOf(name);
  }

  /**
   * Deletes what ties a fast directory to a store that has no files in it any more. One that is
   * missing, or belongs to the store of which this is a copy, stays as it is.
   *
   * @param directory the store's, as a real path
   */
  public static void end(StoreFileSystem disk, Path directory, String lockName) {
    VolumeMark mark = VolumeMark.read(disk, directory, VolumeMark.FAST);
    if (mark == null) {
      return;
    }
    Path fast = knownPath(mark);
    if (belongs(disk, directory, mark, fast)) {
      end(disk, directory, fast, lockName);
    } else {
      disk.delete(directory.resolve(VolumeMark.FAST));
    }
  }

  /**
   * The store's mark first: without it, what is left in the other directory means nothing. Before
   * that it is certain that no SST is, whatever happens.
   */
  private static void end(StoreFileSystem disk, Path directory, Path fast, String lockName) {
    disk.syncDirectory(fast);
    disk.delete(directory.resolve(VolumeMark.FAST));
    disk.syncDirectory(directory);
    disk.delete(fast.resolve(VolumeMark.OWNER));
    disk.delete(fast.resolve(lockName));
  }

  private static Path knownPath(@Nullable VolumeMark mark) {
    String text = mark == null ? "" : mark.other();
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new SifrException("the fast directory " + text + " is no path of this system", e);
    }
  }

  /** The directory that a user gives, where the store has it now. */
  private static Path given(StoreFileSystem disk, Path directory, Path path, VolumeMark mark) {
    if (!disk.isDirectory(path)) {
      throw new FastDirectoryException(
          path,
          directory,
          "there is no such directory, and the store has one, "
              + mark.other()
              + "; to change it, open the store without one first, and compact it");
    }
    return disk.realPath(path);
  }

  /** Checks a directory that is to become the fast one. */
  private static void requireApart(StoreFileSystem disk, Path directory, Path fast) {
    if (fast.startsWith(directory) || directory.startsWith(fast)) {
      throw new IllegalArgumentException(
          "fastDirectory is "
              + fast
              + "; allowed: one that is neither in the store's, "
              + directory
              + ", nor has it in itself");
    }
    if (disk.isVolatile(fast)) {
      throw new IllegalArgumentException(
          "fastDirectory is "
              + fast
              + ", which is in memory; allowed: one whose files survive a power failure");
    }
  }

  /** Checks that a directory is the fast one of a store, wherever both were moved. */
  private static void requireOwn(StoreFileSystem disk, Path directory, VolumeMark mark, Path fast) {
    String remedy =
        "; if it is on a device that is not mounted, mount it; if its rows are lost, \"sifr salvage\""
            + " saves what is left";
    if (!disk.isDirectory(fast)) {
      throw new FastDirectoryException(fast, directory, "there is no such directory" + remedy);
    }
    VolumeMark owner = VolumeMark.read(disk, fast, VolumeMark.OWNER);
    if (owner == null) {
      throw new FastDirectoryException(
          fast,
          directory,
          "it has no file " + VolumeMark.OWNER + ", so it is another one" + remedy);
    }
    if (owner.id() != mark.id()) {
      throw new FastDirectoryException(
          fast,
          directory,
          "it belongs to the store in "
              + owner.other()
              + ", and this one has its rows in "
              + mark.other());
    }
    Path other = Path.of(owner.other());
    if (!other.equals(directory) && isClaimed(disk, owner, fast)) {
      throw new FastDirectoryException(
          fast, directory, "it belongs to the store in " + other + ", of which this is a copy");
    }
  }

  /** Whether the store that a mark names says that the directory is its own. */
  private static boolean isClaimed(StoreFileSystem disk, VolumeMark owner, Path fast) {
    Path store = Path.of(owner.other());
    if (!disk.isDirectory(store)) {
      return false;
    }
    VolumeMark mark = VolumeMark.read(disk, store, VolumeMark.FAST);
    return mark != null && mark.id() == owner.id() && Path.of(mark.other()).equals(fast);
  }

  private static void begin(StoreFileSystem disk, Path directory, Path fast, String lockName) {
    VolumeMark owner = VolumeMark.read(disk, fast, VolumeMark.OWNER);
    if (owner != null && isClaimed(disk, owner, fast)) {
      throw new FastDirectoryException(
          fast, directory, "it belongs to the store in " + owner.other());
    }
    List<String> names =
        disk.list(fast).stream()
            .filter(name -> !name.equals(lockName) && !VolumeMark.isNameOf(name))
            .toList();
    if (!names.isEmpty()) {
      throw new FastDirectoryException(
          fast, directory, "it is not empty, there is " + names.get(0) + "; give it a new one");
    }
    long id = new SecureRandom().nextLong();
    // What a crash leaves between the two belongs to no store, and is overwritten.
    new VolumeMark(id, directory.toString()).write(disk, fast, VolumeMark.OWNER);
    new VolumeMark(id, fast.toString()).write(disk, directory, VolumeMark.FAST);
  }

  /** Writes down where both directories are now. */
  private static void moved(StoreFileSystem disk, Path directory, VolumeMark mark, Path fast) {
    VolumeMark owner = new VolumeMark(mark.id(), directory.toString());
    if (!owner.equals(VolumeMark.read(disk, fast, VolumeMark.OWNER))) {
      owner.write(disk, fast, VolumeMark.OWNER);
    }
    VolumeMark own = new VolumeMark(mark.id(), fast.toString());
    if (!own.equals(mark)) {
      own.write(disk, directory, VolumeMark.FAST);
    }
  }
}
