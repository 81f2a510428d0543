package io.sifr.internal.io;

import java.nio.file.Path;
import java.util.List;

/**
 * What the store needs of a file system, and what it may rely on: nothing is durable before a sync
 * returns, and a name (created, renamed, deleted) is not durable before its directory is synced.
 * Thread-safe. Operations survive {@link Thread#interrupt}: they finish, and leave the thread's
 * interrupt status as they found it.
 *
 * <p>All methods throw {@link io.sifr.error.StoreIoException} when the platform fails, and {@link
 * io.sifr.error.StoreFullException} when it has no space.
 */
public interface StoreFileSystem {
  /** What direct reads are aligned to: the page of every processor and block of every disk. */
  int DIRECT_ALIGNMENT = 4096;

  /**
   * Creates the directory, and missing parents, for the owner alone; an existing directory is left
   * as it is.
   */
  void createDirectories(Path directory);

  /** The directory's path without symbolic links, so that one directory has one name. */
  Path realPath(Path directory);

  /** Names of the files in the directory, sorted. */
  List<String> list(Path directory);

  /** Whether there is a file of that name. */
  boolean exists(Path file);

  /** Bytes in the file. */
  long size(Path file);

  /**
   * Creates a file that must not exist yet, readable and writable for the owner alone, to be
   * written from the start.
   */
  AppendFile create(Path file);

  /** Opens an existing file, not following a symbolic link, to be read at any position. */
  RandomReadFile openForRead(Path file);

  /**
   * Opens an existing file as {@link #openForRead}, to be read past the page cache: each read asks
   * the device. Position, length and memory address of a read must be multiples of {@link
   * #DIRECT_ALIGNMENT}.
   *
   * @throws UnsupportedOperationException when the file system cannot do that
   */
  RandomReadFile openForDirectRead(Path file);

  /**
   * Maps the first {@code size} bytes of an existing file for reading.
   *
   * @throws io.sifr.error.CorruptionException when the file is shorter: touching a mapping past the
   *     end kills the JVM
   */
  MappedRegion mapForRead(Path file, long size);

  /**
   * Maps the first {@code size} bytes of an existing file, every page of which was really written,
   * for reading and writing.
   *
   * @throws io.sifr.error.CorruptionException when the file is shorter
   * @throws IllegalArgumentException when the size is negative or more than {@link
   *     Integer#MAX_VALUE}
   */
  MappedRegion mapForWrite(Path file, long size);

  /**
   * Opens the first {@code size} bytes of an existing file, every one of which was really written,
   * to be overwritten.
   *
   * @throws io.sifr.error.CorruptionException when the file is shorter
   */
  RandomWriteFile openForWrite(Path file, long size);

  /**
   * Opens an existing file to be overwritten at any position, and to grow: a write may begin at its
   * end and go beyond.
   */
  RandomWriteFile openToGrow(Path file);

  /** Renames a file in one step, replacing the target if there is one. */
  void rename(Path source, Path target);

  /** Deletes a file; that it is gone already is no error. */
  void delete(Path file);

  /**
   * Makes the names in the directory durable. When that fails, syncing it again proves nothing.
   *
   * @throws DirectoryNotOpenedException when it did not come to a sync, which may be tried again
   */
  void syncDirectory(Path directory);

  /** Bytes the file system still has for us. */
  long usableBytes(Path directory);

  /**
   * Takes the exclusive lock on a store directory, through a lock file in it, against this JVM and
   * every other.
   *
   * @throws io.sifr.error.StoreLockedException when somebody holds it, naming the process
   */
  DirectoryLock lock(Path directory, String lockFileName);

  /**
   * Told by the store when it passes a boundary between steps that a crash must not harm; a test's
   * file system may let the machine die there. Does nothing.
   */
  default void reached(CrashPoint point) {}

  /**
   * Keeps everybody else from taking the lock on a directory, without writing anything: not even
   * the lock file, so that it works on a medium that cannot be written. Where there is no lock
   * file, only this JVM is kept out.
   *
   * @throws io.sifr.error.StoreLockedException when somebody holds the lock; where another process
   *     holds it in this way too, the process named may be an earlier holder
   */
  DirectoryLock lockForReading(Path directory, String lockFileName);
}
