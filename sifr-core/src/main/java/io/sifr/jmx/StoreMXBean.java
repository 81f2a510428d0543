package io.sifr.jmx;

/**
 * The attributes and operations of an open store in JMX. The bean has an attribute for each number
 * of {@link io.sifr.event.Metric#numbers} as well, at most a second old, whose name begins with an
 * upper-case letter: {@code UserBytes}. An operation returns when it is done. It throws an {@link
 * IllegalArgumentException} or {@link IllegalStateException}, whose message says what is wrong, as
 * who calls may have no other classes than those of the JDK. Thread-safe.
 */
public interface StoreMXBean {
  /** The directory of the store. */
  String getDirectory();

  /** Names of the databases, sorted. */
  String[] getDatabaseNames();

  /** Writes all write buffers to disk. */
  void flush();

  /**
   * Compacts all trees of a database into one, which takes as long as rewriting it.
   *
   * @param database its name
   */
  void compact(String database);

  /**
   * Adds a point to the backups in a directory, see {@link io.sifr.Backups#create}.
   *
   * @param directory an absolute path, for the process of the store; made if it does not exist
   * @return number of the point
   */
  long backup(String directory);

  /**
   * Makes a copy of the store, see {@link io.sifr.Store#checkpoint}.
   *
   * @param directory an absolute path, for the process of the store; of nothing, or of an empty
   *     directory
   */
  void checkpoint(String directory);

  /** Pauses compactions until {@link #resumeCompactions}, or until the store is closed. */
  void pauseCompactions();

  /** Resumes compactions. */
  void resumeCompactions();
}
