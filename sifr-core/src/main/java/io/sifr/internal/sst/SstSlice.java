package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;

/**
 * What a tree holds of an SST: all of it, or its entries between two keys, when a running merge has
 * taken the others already. Immutable; the key arrays are shared and must not be changed.
 */
public sealed interface SstSlice permits Sst, ClippedSst {
  /** The SST. */
  Sst sst();

  /** No entry of the slice has a smaller user key. */
  byte[] smallestKey();

  /** No entry of the slice has a larger user key. */
  byte[] largestKey();

  /**
   * Bytes of the file that belong to the slice, about. An SST of which it is a part must have been
   * opened.
   */
  long bytes();

  /** Entries of the slice, about. An SST of which it is a part must have been opened. */
  long entries();

  /** What of a walk over the whole SST belongs to the slice. */
  EntryIterator clip(EntryIterator whole);

  /**
   * A walk over the entries of the slice. The SST must be open, and pinned until the walk is
   * closed.
   *
   * @param policy how much is read at once
   * @param helper reads ahead of a long walk
   */
  default EntryIterator iterator(ReadAheadPolicy policy, ReadHelper helper) {
    return clip(sst().iterator(policy, helper));
  }
}
