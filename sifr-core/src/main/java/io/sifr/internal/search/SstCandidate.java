package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstReader;

/**
 * The block of an SST that may hold a key. The SST is opened by who searches it: when that fails it
 * is this candidate that fails, and only matters if its answer does.
 *
 * <p>The key is the user's own array. He may change it when his query has been answered, while a
 * searcher is still at a candidate that is not needed any more; what that searcher then finds is
 * thrown away.
 */
final class SstCandidate implements Candidate {
  private final BlockAccess access;
  private final Sst sst;
  private final byte[] key;
  private final int offset;
  private final int length;
  private final long sequence;

  SstCandidate(BlockAccess access, Sst sst, byte[] key, int offset, int length, long sequence) {
    this.access = access;
    this.sst = sst;
    this.key = key;
    this.offset = offset;
    this.length = length;
    this.sequence = sequence;
  }

  @Override
  public boolean isInMemory() {
    SstReader reader = sst.readerIfOpen();
    return reader != null && access.isInMemory(reader, reader.find(key, offset, length, sequence));
  }

  @Override
  public boolean search(Lookup into) {
    SstReader reader = sst.reader();
    int block = reader.find(key, offset, length, sequence);
    boolean isFound = access.search(reader, block, key, offset, length, sequence, into);
    if (!isFound) {
      sst.missed();
    }
    return isFound;
  }
}
