package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;

/**
 * One block that may hold the key of a query. Safe for any thread, as long as somebody is inside
 * the read epoch of the query.
 */
interface Candidate {
  /** Whether searching it needs no I/O, as far as is known. */
  boolean isInMemory();

  /**
   * Searches it, with I/O when it has to be.
   *
   * @param into where the answer is put; unchanged when there is none
   * @return whether there is one; it may be a tombstone
   * @throws RuntimeException when it cannot be read
   */
  boolean search(Lookup into);
}
