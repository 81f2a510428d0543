package io.sifr.internal.volume;

import io.sifr.error.SideDirectoryException;
import io.sifr.error.SifrException;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the directories of a store. A store that has a fast or a cold directory is never read
 * without it: it would look like one that is damaged, or has lost writes.
 */
public final class StoreVolumes {
  private static final Logger LOG = LoggerFactory.getLogger(StoreVolumes.class);

  /** A name that nobody locks. */
  private static final String NO_LOCK = "";

  private StoreVolumes() {}

  /**
   * The settings of the user.
   *
   * @param fast the fast directory; null: none, or what is left in one is moved out of it
   * @param fastBytes how many bytes of SSTs may lie in it
   * @param fastIsVolatile whether all in it may be lost
   * @param cold the cold directory, likewise
   * @param flushBytes about as many as a flush writes
   */
  public record Wanted(
      @Nullable Path fast,
      long fastBytes,
      boolean fastIsVolatile,
      @Nullable Path cold,
      long flushBytes) {
    /** What may lie in a directory that is opened. */
    private long mostBytes(Tier tier) {
      return switch (tier) {
        case FAST -> fast == null ? 0 : fastBytes;
        case COLD -> cold == null ? 0 : Long.MAX_VALUE;
      };
    }
  }

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
   * @throws SideDirectoryException when another directory is missing, or belongs to another store
   * @throws IllegalArgumentException when it cannot be one
   */
  public static Found open(
      StoreFileSystem disk, Path directory, DirectoryLock lock, String lockName, Wanted wanted) {
    if (wanted.fast() == null && wanted.cold() == null && !hasMark(disk, directory)) {
      return new Found(disk, lock); // as nearly all stores: no further class is needed
    }
    Tie cold = new Tie(disk, directory, Tier.COLD, lockName);
    VolumeMark mark = cold.mark();
    Tie.Opened fast =
        new Tie(disk, directory, Tier.FAST, lockName)
            .open(wanted.fast(), wanted.fastIsVolatile(), mark == null ? null : cold.known(mark));
    try {
      Tie.Opened opened = cold.open(wanted.cold(), false, fast == null ? null : fast.path());
      return found(disk, directory, lock, new Sides(fast, opened), wanted);
    } catch (RuntimeException | Error e) {
      if (fast != null) {
        fast.lock().close();
      }
      throw e;
    }
  }

  /** The other directories of a store. */
  private record Sides(Tie.@Nullable Opened fast, Tie.@Nullable Opened cold) {}

  private static Found found(
      StoreFileSystem disk, Path directory, DirectoryLock lock, Sides sides, Wanted wanted) {
    Tie.Opened fast = sides.fast();
    Tie.Opened cold = sides.cold();
    if (fast == null && cold == null) {
      return new Found(disk, lock);
    }
    return new Found(
        new Volumes(
            disk,
            directory,
            fast == null ? null : side(disk, Tier.FAST, fast, wanted),
            cold == null ? null : side(disk, Tier.COLD, cold, wanted)),
        () -> {
          Failures failures = new Failures();
          Stream.of(cold, fast)
              .flatMap(Stream::ofNullable)
              .forEach(side -> failures.collect(side.lock()::close));
          failures.collect(lock::close);
          failures.throwFirst();
        });
  }

  private static SideDirectory side(
      StoreFileSystem disk, Tier tier, Tie.Opened opened, Wanted wanted) {
    disk.syncDirectory(opened.path()); // for names that an earlier process has left
    boolean hasLog = tier == Tier.FAST && !wanted.fastIsVolatile();
    return new SideDirectory(
        disk,
        tier,
        opened.path(),
        new SideDirectory.Limits(wanted.mostBytes(tier), wanted.flushBytes(), hasLog));
  }

  private static boolean hasMark(StoreFileSystem disk, Path directory) {
    return disk.exists(directory.resolve(VolumeMark.FAST))
        || disk.exists(directory.resolve(VolumeMark.NEW_FAST))
        || disk.exists(directory.resolve(VolumeMark.COLD))
        || disk.exists(directory.resolve(VolumeMark.NEW_COLD));
  }

  /**
   * A store that is only read.
   *
   * @param directory the store's, however it is named: its files are asked for by that name
   * @throws SideDirectoryException as above
   */
  public static StoreFileSystem ofReader(StoreFileSystem disk, Path directory) {
    return hasMark(disk, directory) ? read(disk, directory, false) : disk;
  }

  /** As much of a store as is there: without another directory if that is not there. */
  public static StoreFileSystem ofTool(StoreFileSystem disk, Path directory) {
    return disk.isDirectory(directory) && hasMark(disk, directory)
        ? read(disk, directory, true)
        : disk;
  }

  private static StoreFileSystem read(StoreFileSystem disk, Path directory, boolean isTool) {
    SideDirectory fast = read(disk, directory, Tier.FAST, isTool);
    SideDirectory cold = read(disk, directory, Tier.COLD, isTool);
    return fast == null && cold == null ? disk : new Volumes(disk, directory, fast, cold);
  }

  private static @Nullable SideDirectory read(
      StoreFileSystem disk, Path directory, Tier tier, boolean isTool) {
    try {
      Tie tie = new Tie(disk, disk.realPath(directory), tier, NO_LOCK);
      VolumeMark mark = tie.mark();
      return mark == null
          ? null
          : new SideDirectory(disk, tier, tie.own(mark), SideDirectory.Limits.NONE);
    } catch (SifrException e) {
      if (!isTool) {
        throw e;
      }
      LOG.warn("what is in the {} is left out: {}", tier.role(), e.getMessage());
      return null;
    }
  }

  /** Whether a file has a name of those that tie directories together. */
  public static boolean isNameOfMark(String name) {
    return VolumeMark.isNameOf(name);
  }

  /**
   * Deletes what ties other directories to a store that has no files in them any more. One that is
   * missing, or belongs to the store of which this is a copy, stays as it is.
   *
   * @param directory the store's, as a real path
   */
  public static void end(StoreFileSystem disk, Path directory, String lockName) {
    if (hasMark(disk, directory)) {
      for (Tier tier : Tier.values()) {
        VolumeMark.deleteLeftover(disk, directory, tier.mark());
        new Tie(disk, directory, tier, lockName).end();
      }
    }
  }
}
