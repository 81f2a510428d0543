package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;

/**
 * An SST with a range tombstone that covers the key, and no version of it.
 *
 * @param deleted sequence number of the tombstone
 */
record CoveredCandidate(long deleted) implements Candidate {
  @Override
  public boolean isInMemory() {
    return true;
  }

  @Override
  public boolean endsSearch() {
    return true;
  }

  @Override
  public boolean search(Lookup into) {
    return RangeDeletes.settle(deleted, false, into);
  }
}
