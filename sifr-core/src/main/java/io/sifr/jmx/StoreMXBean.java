package io.sifr.jmx;

/**
 * The attributes and operations of an open store in JMX. The bean has an attribute for each number
 * of {@link io.sifr.event.Metric#numbers} as well, at most a second old, whose name begins with an
 * upper-case letter: {@code UserBytes}. An operation returns when it is done, and throws what the
 * method of {@link io.sifr.Store} of the same name throws. Thread-safe.
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

  /** Pauses compactions until {@link #resumeCompactions}, or until the store is closed. */
  void pauseCompactions();

  /** Resumes compactions. */
  void resumeCompactions();
}
