package io.sifr.internal.backup;

import io.sifr.internal.engine.Opening;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of a backup: the file BACKUP, by which it is known; the SSTs of all points in one
 * directory; and a directory for each point.
 */
final class BackupFiles {
  private static final String MARK = "BACKUP";
  private static final String NEW_MARK = "BACKUP.tmp";
  private static final byte[] MARK_CONTENT = "sifr backup 1\n".getBytes(StandardCharsets.UTF_8);
  private static final int DIGITS = 12;

  private final StoreFileSystem fileSystem;
  private final Path directory;

  BackupFiles(StoreFileSystem fileSystem, Path directory) {
    this.fileSystem = fileSystem;
    this.directory = directory;
  }

  /** Where the SSTs are. */
  Path ssts() {
    return directory.resolve("ssts");
  }

  /** Where the directories of the points are. */
  Path points() {
    return directory.resolve("points");
  }

  /** The directory of a point. */
  Path point(long number) {
    return points().resolve(String.format("%0" + DIGITS + "d", number));
  }

  /** Numbers of the points, ascending. */
  List<Long> numbers() {
    return directories()
        .filter(number -> fileSystem.exists(point(number).resolve(PointFile.NAME)))
        .toList();
  }

  /** The largest number that a point was given, 0 if there was none. */
  long largestNumber() {
    return directories().reduce(0L, Math::max);
  }

  private Stream<Long> directories() {
    return fileSystem.list(points()).stream()
        .filter(name -> name.matches("[0-9]{" + DIGITS + ",18}"))
        .map(Long::valueOf)
        .sorted();
  }

  private boolean isBackup() {
    return fileSystem.exists(directory.resolve(MARK));
  }

  /**
   * Checks that there is a backup.
   *
   * @throws IllegalArgumentException when there is none
   */
  void requireBackup() {
    if (!fileSystem.isDirectory(directory) || !isBackup()) {
      throw new IllegalArgumentException(directory + " holds no backup");
    }
  }

  /**
   * Makes an empty backup if there is none.
   *
   * @throws IllegalArgumentException when there is something else in the directory
   */
  void createIfMissing() {
    if (fileSystem.exists(directory) && !isBackup()) {
      requireFree();
    }
    DurableDirectories.create(fileSystem, directory, existing -> isBackup());
    try (DirectoryLock lock = lock()) {
      if (!isBackup()) {
        requireFree();
        fileSystem.createDirectories(ssts());
        fileSystem.createDirectories(points());
        fileSystem.delete(directory.resolve(NEW_MARK));
        try (AppendFile file = fileSystem.create(directory.resolve(NEW_MARK))) {
          file.append(MARK_CONTENT, 0, MARK_CONTENT.length);
          file.sync();
        }
        fileSystem.syncDirectory(directory);
        fileSystem.rename(directory.resolve(NEW_MARK), directory.resolve(MARK));
        fileSystem.syncDirectory(directory);
      }
    }
  }

  /** Nothing may be there but what an interrupted creation leaves. */
  private void requireFree() {
    List<String> left = List.of(Opening.LOCK_FILE, NEW_MARK, "ssts", "points");
    if (!left.containsAll(fileSystem.list(directory))) {
      throw new IllegalArgumentException(
          directory + " is not empty and holds no backup; a backup begins in an empty directory");
    }
  }

  /** Excludes all others. */
  DirectoryLock lock() {
    return fileSystem.lock(directory, Opening.LOCK_FILE);
  }

  /** Excludes those who change it, and writes nothing. */
  DirectoryLock lockForReading() {
    return fileSystem.lockForReading(directory, Opening.LOCK_FILE);
  }

  /**
   * Deletes what is in the directory of points and belongs to none. The directory with the largest
   * number stays, empty, so that no number is given twice.
   */
  void deleteAllBut(Collection<Long> numbers) {
    Path newest = point(largestNumber());
    Set<Path> known = numbers.stream().map(this::point).collect(Collectors.toSet());
    for (String name : fileSystem.list(points())) {
      Path path = points().resolve(name);
      if (!known.contains(path)) {
        fileSystem.list(path).forEach(file -> fileSystem.delete(path.resolve(file)));
        if (!path.equals(newest)) {
          fileSystem.delete(path);
        }
      }
    }
  }
}
