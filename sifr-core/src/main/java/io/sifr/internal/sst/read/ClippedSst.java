package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.RangeTombstones;
import java.util.Arrays;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries and range tombstones of an SST between two keys, both included.
 *
 * @param sst the SST
 * @param smallestKey first key of the slice; need not be in the SST
 * @param largestKey last key of the slice; need not be in the SST
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record ClippedSst(Sst sst, byte[] smallestKey, byte[] largestKey) implements SstSlice {
  @Override
  public long bytes() {
    return (long) (sst.bytes() * share());
  }

  @Override
  public long entries() {
    return (long) (sst.entries() * share());
  }

  /**
   * The share of the SST's blocks that may hold entries of the slice, 0 to 1: up to a block too
   * much at each of its ends. The SST must have been opened; 1 when its index cannot be read.
   */
  public double share() {
    if (!sst.tryPin()) {
      return 1; // its database is dropped, and the figure no longer matters
    }
    try {
      return sst.reader().shareBetween(smallestKey, largestKey);
    } catch (SifrException e) {
      return 1; // reading the entries will fail in the same way
    } finally {
      sst.unpin();
    }
  }

  @Override
  public @Nullable RangeTombstones clip(RangeTombstones whole) {
    byte[] first = EntryLimits.firstFrom(smallestKey);
    return first == null ? null : whole.clipped(first, EntryLimits.endAfter(largestKey));
  }

  @Override
  public void sample(long stepBytes, ObjLongConsumer<byte[]> into) {
    sst.sample(
        stepBytes,
        (key, bytes) -> {
          if (Arrays.compareUnsigned(key, smallestKey) >= 0
              && Arrays.compareUnsigned(key, largestKey) <= 0) {
            into.accept(key, bytes);
          }
        });
  }

  @Override
  public EntryIterator clip(EntryIterator whole) {
    return new ClippedIterator(whole, smallestKey, largestKey);
  }
}
