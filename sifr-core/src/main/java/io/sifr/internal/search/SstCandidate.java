package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;

/**
 * The block of an SST that may hold a key. The SST is opened by the thread that searches it: a
 * failure to open it is a failure of this candidate, and matters only if its answer does.
 *
 * <p>The probe is that of the query, and the key is the user's own array. Both may change once the
 * query is answered, while a searcher is still at a candidate that is no longer needed; the result
 * of that searcher is discarded.
 */
final class SstCandidate implements Candidate {
  private final BlockAccess access;
  private final Sst sst;
  private final Lookup probe;
  private final boolean isCovered;

  /**
   * @param isCovered whether a range tombstone of the SST is known to cover the key
   */
  SstCandidate(BlockAccess access, Sst sst, Lookup probe, boolean isCovered) {
    this.access = access;
    this.sst = sst;
    this.probe = probe;
    this.isCovered = isCovered;
  }

  @Override
  public boolean endsSearch() {
    return isCovered;
  }

  @Override
  public boolean isInMemory() {
    SstReader reader = sst.readerIfOpen();
    return reader != null && access.isInMemory(reader, BlockAccess.block(reader, probe));
  }

  @Override
  public boolean search(Lookup into) {
    SstReader reader = sst.reader();
    long deleted = sst.hasRangeTombstones() ? RangeDeletes.covering(sst, probe) : 0;
    boolean isFound = access.search(reader, BlockAccess.block(reader, probe), probe, into);
    if (!isFound) {
      reader.missed();
    }
    return RangeDeletes.settle(deleted, isFound, into);
  }
}
