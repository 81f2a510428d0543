package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.backup.Backup;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Backups of stores in one place: a directory on any volume, or a {@link BackupStorage}, such as a
 * bucket of S3. Each {@link #create} adds a <em>point</em>: the content of a store at one moment,
 * to which it can be restored until the point is deleted. SSTs are never changed, so each is copied
 * once, however many points hold it, and a new point costs what has changed since the last one.
 * Points do not depend on each other: any of them may be deleted.
 *
 * <p>A process that is killed, or a power failure, harms no point that there was; what it had begun
 * is deleted by the next {@link #create} or {@link #delete}. A directory is changed by one process
 * at a time; a storage by any number, which know of each other by objects that they put there. All
 * methods are safe for any number of threads.
 *
 * <p>The layout is described in {@code src-docs/format/backup.md}.
 */
public final class Backups {
  private final Backup backup;

  private Backups(Backup backup) {
    this.backup = backup;
  }

  /** The backups in a directory. It need not exist before the first {@link #create}. */
  public static Backups in(Path directory) {
    return in(directory, new DiskFileSystem());
  }

  /** As above, in a file system of a test's own. */
  static Backups in(Path directory, StoreFileSystem fileSystem) {
    return new Backups(Backup.in(fileSystem, Arguments.path("directory", directory)));
  }

  /**
   * The backups in a storage. It need hold nothing before the first {@link #create}, and then holds
   * nothing else.
   *
   * <p>A new point makes a copy of the part of the log that it needs, about as large as the write
   * buffers, in the directory for temporary files ({@code java.io.tmpdir}).
   */
  public static Backups in(BackupStorage storage) {
    return in(Backup.in(Arguments.notNull("storage", storage)));
  }

  /** As above, for a test. */
  static Backups in(Backup backup) {
    return new Backups(backup);
  }

  /**
   * The contents of a store at one moment.
   *
   * @param number counts the points of the place from 1; given once, also when the point is
   *     deleted. One that could not be finished may leave a gap
   * @param taken when the moment was, by the clock of the machine
   * @param databases names of the databases, sorted; none if the store is encrypted
   * @param ssts number of SSTs
   * @param bytes bytes of a store that is restored from it
   * @param copiedBytes bytes that were copied for it, since no other point had them
   */
  public record Point(
      long number, Instant taken, List<String> databases, int ssts, long bytes, long copiedBytes) {
    /** Makes an immutable copy. */
    public Point {
      databases = List.copyOf(databases);
    }
  }

  /** Receives the progress of a call, on the thread of the call. */
  @FunctionalInterface
  public interface Progress {
    /** Ignores the progress. */
    Progress NONE = (doneBytes, totalBytes) -> {};

    /**
     * A file is done.
     *
     * @param doneBytes bytes done so far, including those that need not be copied
     * @param totalBytes bytes in all
     */
    void done(long doneBytes, long totalBytes);
  }

  /**
   * Adds a point with what a store holds now, while reads, writes and background work go on. It
   * contains all databases, with all writes that {@link Store#checkpoint} would contain, and is
   * durable when the call returns. SSTs that no point holds yet are verified and copied; until they
   * are, they stay in the store although it may have no use for them any more. Of a store that is
   * {@link Store.Builder#openReadOnly read only} the point has what that shows; so a store can be
   * backed up that another process has open, which may add points of its own to the same place: to
   * a directory one after the other, to a storage at the same time.
   *
   * @throws IllegalArgumentException when the directory is inside that of the store, or is not
   *     empty and holds no backups
   * @throws IllegalStateException when the store is closed, also while the call is under way
   * @throws io.sifr.error.StoreLockedException when another process changes the directory
   * @throws io.sifr.error.StoreFullException when there is no space for it; then, as after other
   *     failures, there is no new point, and what was copied is deleted
   * @throws io.sifr.error.SifrException when a storage fails twice in the end, so that it is not
   *     known whether there is a new point, which is said then; if there is, it is whole
   * @throws io.sifr.error.CorruptionException when an SST of the store is damaged
   */
  @CanIgnoreReturnValue
  public Point create(Store store, Progress progress) {
    return point(
        backup.create(
            Arguments.notNull("store", store).engine(),
            Arguments.notNull("progress", progress)::done));
  }

  /** As above, without progress. */
  @CanIgnoreReturnValue
  public Point create(Store store) {
    return create(store, Progress.NONE);
  }

  private static Point point(Backup.Summary summary) {
    return new Point(
        summary.number(),
        summary.taken(),
        summary.databases(),
        summary.ssts(),
        summary.bytes(),
        summary.copiedBytes());
  }

  /**
   * Numbers of the points, ascending.
   *
   * @throws IllegalArgumentException when the directory or the storage holds no backups
   */
  public List<Long> numbers() {
    return backup.numbers();
  }

  /**
   * A point.
   *
   * @throws IllegalArgumentException when there is none of that number; the message lists those
   *     there are
   * @throws io.sifr.error.CorruptionException when its list is damaged; it can be deleted
   */
  public Point point(long number) {
    return point(backup.point(number));
  }

  /**
   * All points, ascending.
   *
   * @throws IllegalArgumentException when the directory holds no backups
   * @throws io.sifr.error.CorruptionException as {@link #point}
   */
  public List<Point> list() {
    return backup.list().stream().map(Backups::point).toList();
  }

  /**
   * Reads all files of a point, and compares their sizes and checksums with those recorded when
   * they were copied. Writes nothing.
   *
   * @throws IllegalArgumentException when there is no such point
   * @throws io.sifr.error.CorruptionException naming the first file that is missing or damaged; if
   *     it is an SST, other points that hold it are damaged too. When it is deleted, the next point
   *     copies it again if the store still holds it, and that mends them all
   */
  public void verify(long number, Progress progress) {
    backup.verify(number, Arguments.notNull("progress", progress)::done);
  }

  /**
   * Makes a store from a point: files are copied, and verified as {@link #verify} does. The store
   * is durable when the call returns. If it fails, nothing is left of the store; a process that is
   * killed may leave a part, which cannot be opened, and which the next call for the same directory
   * replaces.
   *
   * @param number of the point
   * @param directory of the store: new, empty, or that of a copy that was not finished
   * @throws IllegalArgumentException when there is no such point, when there is anything else in
   *     the directory, or when it is inside that of the backups
   * @throws io.sifr.error.CorruptionException as {@link #verify}
   * @throws io.sifr.error.StoreFullException when there is no space for the store
   */
  public void restore(long number, Path directory, Progress progress) {
    backup.restore(
        number,
        Arguments.path("directory", directory),
        Arguments.notNull("progress", progress)::done);
  }

  /** As above, without progress. */
  public void restore(long number, Path directory) {
    restore(number, directory, Progress.NONE);
  }

  /**
   * Deletes what is left of calls that were interrupted; every {@link #create} and {@link #delete}
   * does so, too. In a storage, what a process has put that is killed stays until half an hour
   * later, and everything stays as long as another process adds a point.
   *
   * @return how many objects, or files in a directory
   * @throws IllegalArgumentException when there are no backups
   */
  @CanIgnoreReturnValue
  public int deleteUnfinished() {
    return backup.deleteUnfinished();
  }

  /**
   * Deletes a point, and the SSTs that no other one holds. A point whose list is damaged can be
   * deleted, too; SSTs stay as long as another one is damaged in this way, because it is not known
   * what that holds.
   *
   * @throws IllegalArgumentException when there is no such point
   */
  public void delete(long number) {
    backup.delete(number);
  }
}
