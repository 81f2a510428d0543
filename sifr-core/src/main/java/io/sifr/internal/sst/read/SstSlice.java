package io.sifr.internal.sst.read;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.sst.block.ReadAhead;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of an SST that belongs to a tree: all of it, or the entries between two keys if a
 * running compaction has processed the others already. Immutable; the key arrays are shared and
 * must not be changed.
 */
public sealed interface SstSlice permits Sst, ClippedSst {
  Sst sst();

  /** No entry of the slice has a smaller user key, and no range tombstone covers one. */
  byte[] smallestKey();

  /** No entry of the slice has a larger user key, and no range tombstone covers one. */
  byte[] largestKey();

  /**
   * Estimated bytes of the file that belong to the slice. If it is only a part of the SST, the SST
   * must have been opened.
   */
  long bytes();

  /**
   * Estimated entries of the slice. If it is only a part of the SST, the SST must have been opened.
   */
  long entries();

  /**
   * What the SST's range tombstones cover in the slice; null when that is nothing. Reads them from
   * the file if it was not opened yet; so the SST must be pinned, or in a read epoch.
   *
   * @throws io.sifr.error.SifrException when they cannot be read
   */
  default @Nullable RangeTombstones rangeTombstones() {
    RangeTombstones whole = sst().rangeTombstones();
    return whole == null ? null : clip(whole);
  }

  /** Restricts the range tombstones of the whole SST to the slice; null when they cover nothing. */
  @Nullable RangeTombstones clip(RangeTombstones whole);

  /**
   * Passes keys at about equal distances, ascending, beginning with the smallest one, each with
   * about the bytes that follow up to the next one. The SST is pinned meanwhile.
   *
   * @param stepBytes the least distance
   * @throws OutdatedException when the SST is gone
   * @throws io.sifr.error.SifrException when the index cannot be read
   */
  void sample(long stepBytes, ObjLongConsumer<byte[]> into);

  /** Restricts an iterator over the whole SST to the slice. */
  EntryIterator clip(EntryIterator whole);

  /**
   * An iterator over the entries of the slice. The SST must be open, and pinned until the iterator
   * is closed.
   *
   * @param policy how much to read at once
   * @param helper reads ahead for a long scan
   */
  default EntryIterator iterator(ReadAhead.Policy policy, ReadAhead.Helper helper) {
    return clip(sst().iterator(policy, helper));
  }
}
