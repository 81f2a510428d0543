package io.sifr.internal.forest;

import io.sifr.internal.sst.ClippedSst;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstRun;
import io.sifr.internal.sst.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A global index over SSTs of disjoint key ranges in ascending order (TPDS §4.1). Immutable; safe
 * for any thread.
 *
 * <p>A tree that a running merge consumes holds only the slices that lie above the merge's
 * frontiers (I2): what is below is the output tree's, and cannot be found here any more.
 *
 * <p>Which SST may hold a key is found by a binary search over eight bytes of each smallest key,
 * taken behind the prefix that all keys of the tree share; whole keys are compared only where those
 * are equal.
 */
public final class LogicalTree implements SstRun {
  private final long id;
  private final List<SstSlice> slices;
  private final byte[] sharedPrefix;
  private final long[] fences;
  private final long bytes;
  private final long entries;

  /**
   * @param id number of the tree, unique in the store
   * @param slices its SSTs or what it holds of them, disjoint and ascending
   * @throws IllegalArgumentException when they are not, or one ends before it begins
   */
  public LogicalTree(long id, List<? extends SstSlice> slices) {
    this.id = id;
    this.slices = List.copyOf(slices);
    checkDisjointAndAscending();
    this.sharedPrefix = sharedPrefix();
    this.fences = new long[slices.size()];
    long byteSum = 0;
    long entrySum = 0;
    for (int i = 0; i < fences.length; i++) {
      SstSlice slice = slices.get(i);
      fences[i] = behindSharedPrefix(slice.smallestKey(), 0, slice.smallestKey().length);
      if (isFirstOfItsSst(i)) {
        byteSum += slice.sst().meta().fileBytes();
        entrySum += slice.sst().meta().entries();
      }
    }
    this.bytes = byteSum;
    this.entries = entrySum;
  }

  private void checkDisjointAndAscending() {
    for (int i = 0; i < slices.size(); i++) {
      SstSlice slice = slices.get(i);
      if (Arrays.compareUnsigned(slice.smallestKey(), slice.largestKey()) > 0) {
        throw new IllegalArgumentException(
            "tree " + id + ": SST " + slice.sst().number() + " ends before it begins");
      }
      if (i > 0 && beginsAtOrBefore(i, slices.get(i - 1).largestKey())) {
        throw new IllegalArgumentException(
            String.format(
                "tree %d: SST %d does not lie behind SST %d",
                id, slice.sst().number(), slices.get(i - 1).sst().number()));
      }
    }
  }

  /** Slices of one SST are neighbours: between them lies nothing but what they are without. */
  private boolean isFirstOfItsSst(int index) {
    return index == 0 || slices.get(index).sst() != slices.get(index - 1).sst();
  }

  private byte[] sharedPrefix() {
    if (slices.isEmpty()) {
      return Bytes.EMPTY;
    }
    byte[] smallest = slices.get(0).smallestKey();
    byte[] largest = slices.get(slices.size() - 1).largestKey();
    int shared = Bytes.commonPrefix(smallest, 0, smallest.length, largest, 0, largest.length);
    return Arrays.copyOf(smallest, shared);
  }

  private long behindSharedPrefix(byte[] key, int offset, int length) {
    return Bytes.prefix(key, offset + sharedPrefix.length, length - sharedPrefix.length);
  }

  /** Number of the tree, unique in the store. */
  public long id() {
    return id;
  }

  @Override
  public List<SstSlice> slices() {
    return slices;
  }

  /** The SSTs it holds something of, ascending, each once. */
  public List<Sst> ssts() {
    return IntStream.range(0, slices.size())
        .filter(this::isFirstOfItsSst)
        .mapToObj(i -> slices.get(i).sst())
        .toList();
  }

  /** This tree without the keys of a span. */
  LogicalTree without(KeySpan span) {
    List<SstSlice> left = new ArrayList<>(slices.size() + 1);
    for (SstSlice slice : slices) {
      if (span.overlaps(slice.smallestKey(), slice.largestKey())) {
        byte[] above = span.above();
        if (above != null && Arrays.compareUnsigned(slice.smallestKey(), above) <= 0) {
          left.add(new ClippedSst(slice.sst(), slice.smallestKey(), above));
        }
        byte[] last = span.last();
        if (last != null && Arrays.compareUnsigned(slice.largestKey(), last) > 0) {
          left.add(new ClippedSst(slice.sst(), Bytes.successor(last), slice.largestKey()));
        }
      } else {
        left.add(slice);
      }
    }
    return new LogicalTree(id, left);
  }

  /** What the tree holds in a span. */
  public LogicalTree within(KeySpan span) {
    List<SstSlice> kept = new ArrayList<>();
    for (SstSlice slice : slices) {
      if (span.contains(slice.smallestKey(), slice.largestKey())) {
        kept.add(slice);
      } else if (span.overlaps(slice.smallestKey(), slice.largestKey())) {
        byte[] smallest = slice.smallestKey();
        byte[] above = span.above();
        if (above != null && Arrays.compareUnsigned(smallest, above) <= 0) {
          smallest = Bytes.successor(above);
        }
        byte[] largest = slice.largestKey();
        byte[] last = span.last();
        if (last != null && Arrays.compareUnsigned(largest, last) > 0) {
          largest = last;
        }
        kept.add(new ClippedSst(slice.sst(), smallest, largest));
      }
    }
    return new LogicalTree(id, kept);
  }

  /** Bytes of all its files. */
  public long bytes() {
    return bytes;
  }

  /** Entries in all its SSTs, tombstones and shadowed versions included. */
  public long entries() {
    return entries;
  }

  /** The one SST that may hold the key, or null when none can. */
  public @Nullable Sst find(byte[] key, int offset, int length) {
    int index = lastBeginningAtOrBefore(key, offset, length);
    if (index < 0) {
      return null;
    }
    SstSlice slice = slices.get(index);
    byte[] largest = slice.largestKey();
    return Bytes.compare(key, offset, length, largest, 0, largest.length) <= 0 ? slice.sst() : null;
  }

  @Override
  public int firstEndingAtOrBehind(byte[] key, int offset, int length) {
    int index = lastBeginningAtOrBefore(key, offset, length);
    if (index < 0) {
      return 0;
    }
    byte[] largest = slices.get(index).largestKey();
    return Bytes.compare(key, offset, length, largest, 0, largest.length) <= 0 ? index : index + 1;
  }

  @Override
  public int lastBeginningAtOrBefore(byte[] key, int offset, int length) {
    int shared = sharedPrefix.length;
    if (shared > 0) {
      int order = Bytes.compare(key, offset, Math.min(length, shared), sharedPrefix, 0, shared);
      if (order != 0) {
        return order < 0 ? -1 : slices.size() - 1;
      }
    }
    long wanted = behindSharedPrefix(key, offset, length);
    int low = 0;
    int high = fences.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (beginsAtOrBefore(middle, wanted, key, offset, length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * Whole keys are compared within the search, not behind it: one stray key can make the fences of
   * all other SSTs equal, and walking through those would cost as many comparisons as there are
   * SSTs.
   */
  private boolean beginsAtOrBefore(int index, long wanted, byte[] key, int offset, int length) {
    long fence = fences[index];
    if (fence != wanted) {
      return Long.compareUnsigned(fence, wanted) < 0;
    }
    byte[] smallest = slices.get(index).smallestKey();
    return Bytes.compare(smallest, 0, smallest.length, key, offset, length) <= 0;
  }

  private boolean beginsAtOrBefore(int index, byte[] key) {
    return Arrays.compareUnsigned(slices.get(index).smallestKey(), key) <= 0;
  }

  /** Whether an SST of the tree may hold the key. */
  public boolean mayHold(byte[] key, int offset, int length) {
    return find(key, offset, length) != null;
  }

  @Override
  public String toString() {
    return "tree " + id + ssts().stream().map(Sst::number).toList();
  }
}
