package io.sifr.internal.search;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.sst.read.Sst;

/**
 * The effect of an SST's range tombstones on a point query. One that covers the key ends the
 * search: by I1 no later source can hold a newer version, so only a version in the same SST may be
 * newer.
 */
final class RangeDeletes {
  private RangeDeletes() {}

  /**
   * The newest range tombstone of an SST that covers the probe's key and that the reader sees.
   *
   * @return its sequence number, or 0 when there is none
   * @throws SifrException when they cannot be read
   */
  static long covering(Sst sst, Lookup probe) {
    RangeTombstones ranges = sst.rangeTombstones();
    return ranges == null
        ? 0
        : ranges.newestCovering(
            probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence());
  }

  /**
   * Whether there may be one: also if they cannot be read, which the search of the SST will say.
   */
  static boolean mayCover(Sst sst, Lookup probe) {
    try {
      return covering(sst, probe) > 0;
    } catch (SifrException e) {
      return true;
    }
  }

  /**
   * Makes the range tombstone the answer if the SST holds no version that is newer.
   *
   * @param deleted what {@link #covering} returned
   * @param isFound whether a version was found
   * @param into the version found; receives the answer
   * @return whether there is an answer
   */
  static boolean settle(long deleted, boolean isFound, Lookup into) {
    if (deleted == 0 || (isFound && into.sequence() > deleted)) {
      return isFound;
    }
    into.set(deleted, null);
    return true;
  }
}
