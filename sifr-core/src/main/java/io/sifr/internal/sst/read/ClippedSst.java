package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.DelegatingIterator;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.util.Bytes;
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

  /** Restricts another iterator to the entries between two user keys, both included. */
  static final class ClippedIterator extends DelegatingIterator implements EntryIterator {
    private final EntryIterator whole;
    private final byte[] smallestKey;
    private final byte[] largestKey;
    private boolean valid;

    ClippedIterator(EntryIterator whole, byte[] smallestKey, byte[] largestKey) {
      this.whole = whole;
      this.smallestKey = smallestKey;
      this.largestKey = largestKey;
    }

    @Override
    public boolean seekToFirst() {
      long newest = Trailer.seek(Trailer.MAX_SEQUENCE);
      return notAfterLargest(whole.seek(smallestKey, 0, smallestKey.length, newest));
    }

    @Override
    public boolean seekToLast() {
      byte[] after = Bytes.successor(largestKey);
      return notBeforeSmallest(whole.seekBefore(after, 0, after.length));
    }

    @Override
    public boolean seek(byte[] key, int offset, int length, long trailer) {
      return Bytes.compare(key, offset, length, smallestKey, 0, smallestKey.length) < 0
          ? seekToFirst()
          : notAfterLargest(whole.seek(key, offset, length, trailer));
    }

    @Override
    public boolean seekBefore(byte[] key, int offset, int length) {
      return Bytes.compare(key, offset, length, largestKey, 0, largestKey.length) > 0
          ? seekToLast()
          : notBeforeSmallest(whole.seekBefore(key, offset, length));
    }

    @Override
    public long prepare(Target to) {
      return whole.prepare(to);
    }

    @Override
    public void locate(Target to, Lines into) {
      whole.locate(to, into);
    }

    @Override
    public boolean next() {
      return notAfterLargest(current().next());
    }

    @Override
    public boolean previous() {
      return notBeforeSmallest(current().previous());
    }

    private boolean notAfterLargest(boolean found) {
      valid = found && compareKey(largestKey) <= 0;
      return valid;
    }

    private boolean notBeforeSmallest(boolean found) {
      valid = found && compareKey(smallestKey) >= 0;
      return valid;
    }

    private int compareKey(byte[] other) {
      int from = whole.keyOffset();
      return Arrays.compareUnsigned(
          whole.keyArray(), from, from + whole.keyLength(), other, 0, other.length);
    }

    @Override
    protected EntryIterator current() {
      if (!valid) {
        throw new IllegalStateException("the iterator is not positioned on an entry");
      }
      return whole;
    }

    @Override
    public boolean valid() {
      return valid;
    }

    @Override
    public void close() {
      whole.close();
    }
  }
}
