package io.sifr.internal.io;

import io.sifr.error.CorruptionException;
import io.sifr.event.SstPlace;
import io.sifr.internal.crypt.FileKeys;
import java.nio.file.Path;
import java.util.List;

/**
 * The operations that the store needs of a file system, and their guarantees: nothing is durable
 * before a sync returns, and a name (created, renamed, deleted) is not durable before its directory
 * is synced. Thread-safe. Operations survive {@link Thread#interrupt}: they finish and leave the
 * thread's interrupt status unchanged.
 *
 * <p>All methods throw {@link io.sifr.error.StoreIoException} when the platform fails, {@link
 * io.sifr.error.StoreFullException} when the disk is full, and {@link
 * io.sifr.error.FileNotOpenedException} when a file or directory could not be created, opened or
 * mapped, and nothing was changed.
 */
public interface StoreFileSystem {
  /**
   * Alignment of direct reads and writes, in bytes: large enough for the usual pages and disk
   * blocks.
   */
  int DIRECT_ALIGNMENT = 4096;

  /**
   * Creates the directory, and missing parents, for the owner alone; an existing directory is left
   * as it is.
   */
  void createDirectories(Path directory);

  /** The directory's path without symbolic links, so that one directory has one name. */
  Path realPath(Path directory);

  /** Whether there is a directory of that path, or a symbolic link to one. */
  boolean isDirectory(Path path);

  /** Names of the files in the directory, sorted. */
  List<String> list(Path directory);

  /** Whether there is a file of that name. */
  boolean exists(Path file);

  /** Size of the file in bytes. */
  long size(Path file);

  /**
   * Creates a file that must not exist yet, readable and writable for the owner alone, to be
   * written from the start.
   */
  AppendFile create(Path file);

  /**
   * Creates a file as {@link #create}, to be written without the page cache where the file system
   * supports that, and else as {@link #create} does. It takes a mebibyte off the heap until it is
   * closed.
   */
  default AppendFile createDirect(Path file) {
    return create(file);
  }

  /** Opens an existing file, not following a symbolic link, to be read at any position. */
  RandomReadFile openForRead(Path file);

  /**
   * Opens an existing file as {@link #openForRead}, to be read without the page cache: each read
   * goes to the device. Position, length and memory address of a read must be multiples of {@link
   * #DIRECT_ALIGNMENT}.
   *
   * @throws UnsupportedOperationException when the file system does not support it
   */
  RandomReadFile openForDirectRead(Path file);

  /**
   * Maps an existing file of {@code size} bytes for reading.
   *
   * @throws io.sifr.error.CorruptionException when it has another size: accessing a mapping past
   *     the end of a shorter one kills the JVM
   */
  MappedRegion mapForRead(Path file, long size);

  /** Checks the size of a file that is to be mapped for reading. */
  static void requireSize(Path file, long expected, long actual) {
    if (actual != expected) {
      throw new CorruptionException(
          file,
          Math.min(actual, expected),
          "the file has " + actual + " bytes, " + expected + " were expected");
    }
  }

  /** Whether {@link MappedRegion#announce} of what is mapped has any effect at present. */
  default boolean announcesReads() {
    return false;
  }

  /**
   * Maps the first {@code size} bytes of an existing file, every page of which was written before,
   * for reading and writing.
   *
   * @throws io.sifr.error.CorruptionException when the file is shorter
   * @throws IllegalArgumentException when the size is negative or more than {@link
   *     Integer#MAX_VALUE}
   */
  MappedRegion mapForWrite(Path file, long size);

  /**
   * Opens the first {@code size} bytes of an existing file, every one of which was written before,
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

  /**
   * Renames a file in a directory, as {@link #rename}, and makes its new name durable, as {@link
   * #syncDirectory}. When that fails, it is not known which name is in effect. The default is for
   * file systems that need not open a directory.
   *
   * @throws io.sifr.error.FileNotOpenedException when the directory could not be opened, so that
   *     nothing was renamed
   */
  default void renameDurably(Path directory, String source, String target) {
    rename(directory.resolve(source), directory.resolve(target));
    syncDirectory(directory);
  }

  /**
   * Gives a file a second name, which must not exist yet: both stand for the same content, whatever
   * happens to the other name. As with any name, the directory has to be synced.
   *
   * @return false when there can be no such name, for instance because it would be on another
   *     volume; nothing has changed then
   */
  boolean link(Path file, Path second);

  /**
   * Whether a value file to which an SST refers has all of its content. One that does not was seen
   * while its store writes to it: a copy has to have it as it was seen, and as its own.
   */
  default boolean isFinal(Path file) {
    return true;
  }

  /** Deletes a file or an empty directory; no error if it does not exist. */
  void delete(Path file);

  /**
   * Makes the names in the directory durable. When that fails, a later sync proves nothing.
   *
   * @throws io.sifr.error.FileNotOpenedException when the directory could not be opened, so that no
   *     sync was attempted; the caller may try again
   */
  void syncDirectory(Path directory);

  /** Free bytes of the file system. */
  long usableBytes(Path directory);

  /** Whether what is in a directory is lost with the power, as in a file system in memory. */
  default boolean isVolatile(Path directory) {
    return false;
  }

  /**
   * Whether a file of a store is where a task that writes to a directory would write it, or may
   * stay where it is. Some may be on another device, see {@code internal.volume}.
   */
  default boolean isInPlace(Path file, Path directory) {
    return true;
  }

  /** The same for files that are always in the store's directory: no other device matters then. */
  default StoreFileSystem withoutOtherDevices() {
    return this;
  }

  /** The directory in which the next SST of the first stage is to be created. */
  default Path placeForRows(Path directory) {
    return directory;
  }

  /** Where a file of a store really is: on another device perhaps, see {@code internal.volume}. */
  default Path placeOf(Path file) {
    return file;
  }

  /** The directory in which the next log segment, of so many bytes, is to be created. */
  default Path placeForLog(Path directory, long bytes) {
    return directory;
  }

  /**
   * Tells that a file has failed in use: if it is on another device, new ones are created in the
   * store's directory for a while.
   */
  default void failed(Path file) {}

  /** The directory in which the next SST of a database's last stage is to be created. */
  default Path placeForLast(Path directory) {
    return directory;
  }

  /**
   * Whether each read of an SST may take long, however little is read. Known without such a read,
   * once the SST has a {@link io.sifr.internal.format.FileKind#TAIL}.
   */
  default boolean isFar(Path sst) {
    return false;
  }

  /**
   * In which of its directories a store has an SST of a forest. Whoever wants figures asks for all
   * of them at once, so no device is asked that was listed once.
   */
  default SstPlace placeOfSst(Path directory, long number) {
    return SstPlace.STORE;
  }

  /** Bytes of SSTs that were written in another directory of the store since it was opened. */
  default long writtenBytes(SstPlace place) {
    return 0;
  }

  /**
   * The keys with which files are encrypted. What is read and written here is what the files
   * contain: who reads and writes a file seals and opens its pieces.
   */
  default FileKeys keys() {
    return FileKeys.NONE;
  }

  /** Whether all SSTs of a store can be mapped. */
  default boolean mapsSsts() {
    return true;
  }

  /**
   * Takes the exclusive lock on a store directory, through a lock file in it, against this JVM and
   * every other.
   *
   * @throws io.sifr.error.StoreLockedException when the lock is held; the message names the
   *     holder's process
   */
  DirectoryLock lock(Path directory, String lockFileName);

  /**
   * Called by the store at each boundary between steps that a crash must not harm; a test's file
   * system may simulate a crash there. Does nothing by default.
   */
  default void reached(CrashPoint point) {}

  /**
   * Prevents others from taking the lock on a directory without writing anything, not even the lock
   * file, so that it works on a read-only medium. Where there is no lock file, it excludes only
   * this JVM.
   *
   * @throws io.sifr.error.StoreLockedException when the lock is held; if another process holds it
   *     in this way too, the process named may be an earlier holder
   */
  DirectoryLock lockForReading(Path directory, String lockFileName);
}
