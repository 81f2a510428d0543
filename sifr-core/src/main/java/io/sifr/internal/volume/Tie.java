package io.sifr.internal.volume;

import io.sifr.error.CorruptionException;
import io.sifr.error.SideDirectoryException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tie between a store and its directory of a tier: a {@link VolumeMark} in each of the two.
 *
 * @param directory the store's, as a real path
 * @param tier of the other one
 * @param lockName name of the lock file
 */
record Tie(StoreFileSystem disk, Path directory, Tier tier, String lockName) {
  private static final Logger LOG = LoggerFactory.getLogger(Tie.class);

  /**
   * The other directory, in use by a writer.
   *
   * @param path its real path
   * @param lock holds it
   */
  record Opened(Path path, DirectoryLock lock) {}

  /** The mark in the store's directory; null when the store has no directory of the tier. */
  @Nullable VolumeMark mark() {
    return VolumeMark.read(disk, directory, tier.mark());
  }

  /**
   * Finds the directory for a writer.
   *
   * @param wanted by the user; null: none, or what is left in one is moved out of it
   * @param isVolatile whether it may lose all its files, so that nothing is only there
   * @param apart another one of the store, if there is one
   * @return null when the store has none
   * @throws SideDirectoryException when it is missing, or belongs to another store
   * @throws IllegalArgumentException when it cannot be one
   */
  @Nullable Opened open(@Nullable Path wanted, boolean isVolatile, @Nullable Path apart) {
    VolumeMark mark = mark();
    VolumeMark.deleteLeftover(disk, directory, tier.mark());
    if (mark != null && isLost(mark, wanted)) {
      LOG.warn("the files in the {} {} are lost", tier.role(), mark.other());
      disk.delete(directory.resolve(tier.mark()));
      disk.syncDirectory(directory);
      mark = null;
    } else if (mark != null && wanted != null && isAnother(mark, wanted, isVolatile)) {
      end(known(mark));
      mark = null;
    }
    if (mark != null && wanted != null && mark.isVolatile() != isVolatile) {
      throw refused(
          wanted,
          "what is in it was written with fastIsVolatile="
              + mark.isVolatile()
              + "; to change that, open the store without a fast directory first, and compact it");
    }
    if (mark != null) {
      return again(mark, wanted == null ? known(mark) : given(wanted, mark), wanted == null);
    }
    if (wanted == null) {
      return null;
    }
    try {
      return first(wanted, isVolatile, apart);
    } catch (StoreFullException e) {
      LOG.warn(
          "{} is used without its {} until it is opened again: {}",
          directory,
          tier.role(),
          e.getMessage());
      return null;
    }
  }

  /**
   * Whether nothing is left of a volatile one, where the store had it and where a user has it. What
   * was in it is made again from the log.
   */
  private boolean isLost(VolumeMark mark, @Nullable Path wanted) {
    return mark.isVolatile() && !hasOwner(known(mark)) && (wanted == null || !isOwn(mark, wanted));
  }

  private boolean hasOwner(Path path) {
    return disk.isDirectory(path) && ownerIfWhole(path) != null;
  }

  /** Whether a user has another one in mind than the store has, in which nothing is left. */
  private boolean isAnother(VolumeMark mark, Path wanted, boolean isVolatile) {
    Path known = known(mark);
    return (!isOwn(mark, wanted) || mark.isVolatile() != isVolatile)
        && belongs(mark, known)
        && isEmpty(known);
  }

  private boolean isOwn(VolumeMark mark, Path path) {
    VolumeMark owner = disk.isDirectory(path) ? VolumeMark.ownerOf(disk, path) : null;
    return owner != null && owner.id() == mark.id();
  }

  private boolean isEmpty(Path path) {
    return SideDirectory.names(disk, path).isEmpty();
  }

  /** Whether it is its own, and not that of a store of which this is a copy. */
  private boolean belongs(VolumeMark mark, Path path) {
    try {
      requireOwn(mark, path);
      return true;
    } catch (SideDirectoryException e) {
      return false;
    }
  }

  /** The store gets a directory of the tier. */
  private Opened first(Path wanted, boolean isVolatile, @Nullable Path apart) {
    Path path =
        DurableDirectories.create(
            disk, wanted, existing -> disk.exists(existing.resolve(VolumeMark.OWNER)));
    requireApart(path, directory);
    if (apart != null) {
      requireApart(path, apart);
    }
    if (disk.isVolatile(path) && !isVolatile) {
      throw new IllegalArgumentException(
          tier.setting()
              + " is "
              + path
              + ", which is in memory; allowed: one whose files survive a power failure"
              + (tier == Tier.FAST ? ", or any with fastIsVolatile" : ""));
    }
    return locked(path, () -> begin(path, isVolatile));
  }

  /** It has one. */
  private @Nullable Opened again(VolumeMark mark, Path path, boolean isGivenUp) {
    requireOwn(mark, path);
    if (isGivenUp && isEmpty(path)) {
      lock(path).close(); // nobody else uses it
      end(path);
      return null;
    }
    return locked(path, () -> moved(mark, path));
  }

  private Opened locked(Path path, Runnable task) {
    DirectoryLock lock = lock(path);
    try {
      task.run();
      return new Opened(path, lock);
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private DirectoryLock lock(Path path) {
    return tier.isLocked() ? disk.lock(path, lockName) : () -> {};
  }

  /**
   * The directory of the store, for somebody who only reads.
   *
   * @param mark the store's
   */
  Path own(VolumeMark mark) {
    Path path = known(mark);
    requireOwn(mark, path);
    return path;
  }

  /**
   * Deletes what ties the directory to a store that has no files in it any more. One that is
   * missing, or belongs to the store of which this is a copy, stays as it is.
   */
  void end() {
    VolumeMark mark = mark();
    if (mark == null) {
      return;
    }
    Path path = known(mark);
    if (belongs(mark, path)) {
      end(path);
    } else {
      disk.delete(directory.resolve(tier.mark()));
    }
  }

  /**
   * The store's mark first: without it, what is left in the other directory means nothing. Before
   * that it is certain that no SST is, whatever happens.
   */
  private void end(Path path) {
    disk.syncDirectory(path);
    disk.delete(directory.resolve(tier.mark()));
    disk.syncDirectory(directory);
    VolumeMark.deleteOwner(disk, path);
    if (tier.isLocked()) {
      disk.delete(path.resolve(lockName));
    }
  }

  /** The directory that a mark names. */
  Path known(VolumeMark mark) {
    try {
      return Path.of(mark.other());
    } catch (InvalidPathException e) {
      throw new SifrException(
          "the " + tier.role() + " " + mark.other() + " is no path of this system", e);
    }
  }

  /** The directory that a user gives, where the store has it now. */
  private Path given(Path wanted, VolumeMark mark) {
    if (!disk.isDirectory(wanted)) {
      throw refused(
          wanted,
          "there is no such directory, and the store has one, "
              + mark.other()
              + "; to change it, open the store without one first, and compact it");
    }
    return disk.realPath(wanted);
  }

  private void requireApart(Path path, Path other) {
    if (path.startsWith(other) || other.startsWith(path)) {
      throw new IllegalArgumentException(
          tier.setting()
              + " is "
              + path
              + "; allowed: one that is neither in another one of the store, "
              + other
              + ", nor has it in itself");
    }
  }

  /** Checks that a directory is that of the store, wherever both were moved. */
  private void requireOwn(VolumeMark mark, Path path) {
    String remedy =
        mark.isVolatile()
            ? "; if its files are lost, open the store for writing, which makes them again"
            : "; if it is on a device that is not mounted, mount it; if its files are lost,"
                + " \"sifr salvage\" saves what is left";
    if (!disk.isDirectory(path)) {
      throw refused(path, "there is no such directory" + remedy);
    }
    VolumeMark owner = VolumeMark.ownerOf(disk, path);
    if (owner == null) {
      throw refused(path, "it has no file " + VolumeMark.OWNER + ", so it is another one" + remedy);
    }
    if (owner.id() != mark.id()) {
      throw refused(
          path,
          "it belongs to the store in " + owner.other() + ", and this one has " + mark.other());
    }
    Path other = Path.of(owner.other());
    if (!other.equals(directory) && isClaimed(owner, path)) {
      throw refused(path, "it belongs to the store in " + other + ", of which this is a copy");
    }
  }

  private SideDirectoryException refused(Path path, String why) {
    return new SideDirectoryException(path, tier.role(), directory, why);
  }

  /** Whether the store that a mark names says that the directory is its own. */
  private boolean isClaimed(VolumeMark owner, Path path) {
    Path store = Path.of(owner.other());
    if (!disk.isDirectory(store)) {
      return false;
    }
    for (Tier any : Tier.values()) {
      VolumeMark mark = VolumeMark.read(disk, store, any.mark());
      if (mark != null && mark.id() == owner.id() && Path.of(mark.other()).equals(path)) {
        return true;
      }
    }
    return false;
  }

  private void begin(Path path, boolean isVolatile) {
    VolumeMark owner = ownerIfWhole(path);
    if (owner != null && isClaimed(owner, path)) {
      throw refused(path, "it belongs to the store in " + owner.other());
    }
    List<String> names =
        disk.list(path).stream()
            .filter(name -> !name.equals(lockName) && !VolumeMark.isNameOf(name))
            .toList();
    if (!names.isEmpty()) {
      throw refused(path, "it is not empty, there is " + names.get(0) + "; give it a new one");
    }
    long id = new SecureRandom().nextLong();
    // What a crash leaves between the two belongs to no store, and is overwritten.
    new VolumeMark(id, directory.toString(), isVolatile).writeOwner(disk, path);
    new VolumeMark(id, path.toString(), isVolatile).write(disk, directory, tier.mark());
  }

  /**
   * A part of one is what a crash has left: no store has been told that the directory is its own.
   */
  private @Nullable VolumeMark ownerIfWhole(Path path) {
    try {
      return VolumeMark.ownerOf(disk, path);
    } catch (CorruptionException e) {
      LOG.debug("a file {} was not finished", VolumeMark.OWNER, e);
      return null;
    }
  }

  /** Writes down where both directories are now. */
  private void moved(VolumeMark mark, Path path) {
    try {
      VolumeMark owner = new VolumeMark(mark.id(), directory.toString(), mark.isVolatile());
      if (!owner.equals(VolumeMark.ownerOf(disk, path))) {
        owner.writeOwner(disk, path);
      }
      VolumeMark own = new VolumeMark(mark.id(), path.toString(), mark.isVolatile());
      if (!own.equals(mark)) {
        own.write(disk, directory, tier.mark());
      }
    } catch (StoreFullException e) {
      LOG.debug("where the directories are now is written down by another opening", e);
    }
  }
}
