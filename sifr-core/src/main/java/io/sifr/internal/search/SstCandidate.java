package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstReader;

/**
 * The block of an SST that may hold a key. The SST is opened by who searches it: when that fails it
 * is this candidate that fails, and only matters if its answer does.
 *
 * <p>The probe is that of the query, and the key the user's own array. Both may change when the
 * query has been answered, while a searcher is still at a candidate that is not needed any more;
 * what that searcher then finds is thrown away.
 */
final class SstCandidate implements Candidate {
  private final BlockAccess access;
  private final Sst sst;
  private final Lookup probe;

  SstCandidate(BlockAccess access, Sst sst, Lookup probe) {
    this.access = access;
    this.sst = sst;
    this.probe = probe;
  }

  @Override
  public boolean isInMemory() {
    SstReader reader = sst.readerIfOpen();
    return reader != null && access.isInMemory(reader, BlockAccess.block(reader, probe));
  }

  @Override
  public boolean search(Lookup into) {
    SstReader reader = sst.reader();
    boolean isFound = access.search(reader, BlockAccess.block(reader, probe), probe, into);
    if (!isFound) {
      sst.missed();
    }
    return isFound;
  }
}
