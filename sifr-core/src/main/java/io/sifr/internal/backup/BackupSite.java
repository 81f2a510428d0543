package io.sifr.internal.backup;

import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage.StoredObject;
import java.nio.file.Path;
import java.util.List;

/** The place of a backup, and what keeps those who use it at the same time from doing harm. */
interface BackupSite {
  /** How messages call the backup. */
  @Override
  String toString();

  /** The file system of stores that are restored. */
  StoreFileSystem fileSystem();

  /** Its objects, as they are without a turn: to be read for a moment. */
  ObjectAccess objects();

  /** Whether there is a backup. */
  boolean isBackup();

  /**
   * Makes an empty backup if there is none.
   *
   * @throws IllegalArgumentException when there is something else in its place, or it would be
   *     inside the directory of the store
   */
  void createIfMissing(StoreEngine engine);

  /**
   * Checks the directory of a store that is to be restored.
   *
   * @throws IllegalArgumentException when it is inside that of the backup
   */
  void requireOutside(Path target);

  /**
   * Excludes those who change the backup where there are locks. Elsewhere points may be deleted
   * while they are read. Writes nothing.
   */
  DirectoryLock lockForReading();

  /**
   * Begins to change the backup.
   *
   * @param creates whether a point is to be added
   */
  Turn begin(boolean creates);

  /** A change of a backup, by one thread. */
  interface Turn extends AutoCloseable {
    /** The objects; each call to them shows others that the turn goes on. */
    ObjectAccess objects();

    /** A number for a new point, larger than any there was. Called once. */
    long newNumber();

    /** Where the files of the new point's own are to be made. */
    Spool spool(StoreFileSystem fileSystem, long number);

    /**
     * What the names of SSTs of the new point end with, so that none of them was used before; 0:
     * nothing.
     */
    long upload(long number);

    /**
     * Whether nobody else adds a point. Whoever begins after this was called finds the points that
     * are there now, and none that was deleted before.
     */
    boolean isAlone();

    /**
     * Checks that others know of the turn.
     *
     * @throws io.sifr.error.SifrException when they may have taken it for dead
     */
    void requireKnown();

    /**
     * Deletes what other turns have left of their own; what keeps the largest number stays.
     *
     * @param objects all there were before {@link #isAlone} was called
     * @param isAlone what it has said
     * @return how many objects
     */
    int tidy(List<StoredObject> objects, boolean isAlone);

    /** Ends the turn. */
    @Override
    void close();
  }
}
