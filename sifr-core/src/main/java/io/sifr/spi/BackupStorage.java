package io.sifr.spi;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * A place for backups that is no directory of this machine: objects with names, as in S3 and what
 * is like it, see {@link io.sifr.Backups#in(BackupStorage)}.
 *
 * <p>Names consist of letters, digits, and {@code . - _}, and of {@code /} between their parts;
 * they have at most 200 characters. Whoever implements this may put something in front of them, the
 * name of a folder for instance. Nothing else may be written there.
 *
 * <p>What is expected of an implementation:
 *
 * <ul>
 *   <li>A {@link #put} is all or nothing: others see the whole object, or what was there before. It
 *       replaces an object of the same name.
 *   <li>When a put or a deletion has returned, every call that begins later sees it, that of
 *       another process too; a {@link #list} as well. A listing that goes on meanwhile may contain
 *       a new or a deleted object or not; one that is replaced is in it, once. Listings have any
 *       order.
 *   <li>What was put or deleted is durable when the call has returned, or at the latest when {@link
 *       #sync} has.
 *   <li>All methods are called by any number of threads, and by several processes at once.
 * </ul>
 *
 * <p>A call that fails throws an {@link IOException}. It may have had an effect all the same, or
 * have one later: backups are made so that this does no harm. What is worth being tried again, the
 * implementation tries again itself.
 */
public interface BackupStorage {
  /**
   * An object in a listing.
   *
   * @param name its name
   * @param bytes its size
   * @param modified when it was put, by the clock of the storage: the same for all objects and all
   *     processes
   */
  record StoredObject(String name, long bytes, Instant modified) {}

  /** The bytes to be put. Used by one thread at a time. */
  interface Content {
    /** How many bytes there are, from 0 on. */
    long bytes();

    /**
     * The bytes from the first on. May be called again, when a put is tried again; the streams
     * before are closed then. What a stream throws ends the put.
     */
    InputStream open() throws IOException;
  }

  /** Stores an object, and replaces the one of that name. */
  void put(String name, Content content) throws IOException;

  /**
   * Reads an object from its first byte to its last.
   *
   * @return a stream, which the caller closes, also before its end. It throws if it breaks off, and
   *     never ends early
   * @throws java.nio.file.NoSuchFileException when there is none of that name
   */
  InputStream get(String name) throws IOException;

  /**
   * Hands out all objects whose names begin in this way, once each.
   *
   * @param prefix empty, or a name that ends with {@code /}
   * @param found called on the thread of the caller; what it throws ends the call
   */
  void list(String prefix, Consumer<StoredObject> found) throws IOException;

  /** Deletes an object; no error if there is none. */
  void delete(String name) throws IOException;

  /**
   * Makes durable what was put and deleted by calls that have returned. Does nothing by default,
   * for storages where that is durable already. After a failure it is not known what is durable.
   */
  default void sync() throws IOException {}
}
