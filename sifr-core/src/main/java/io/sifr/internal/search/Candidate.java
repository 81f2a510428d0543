package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;

/**
 * One block that may hold the key of a query. Safe for any thread, as long as some thread is inside
 * the query's read epoch.
 */
interface Candidate {
  /** Whether it can be searched without I/O, as far as is known. */
  boolean isInMemory();

  /**
   * Has the system begin to read it, without waiting for it.
   *
   * @return false when it is not known what has to be read
   */
  default boolean announce() {
    return false;
  }

  /** Whether it certainly gives an answer or fails, so that what is below it does not matter. */
  default boolean endsSearch() {
    return false;
  }

  /**
   * Searches it, with I/O if necessary.
   *
   * @param into receives the answer; unchanged when there is none
   * @return whether there is one; it may be a tombstone
   * @throws RuntimeException when it cannot be read
   */
  boolean search(Lookup into);
}
