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
 * <p>Which slice may hold a key is told by the key's <em>position</em>: how many boundaries lie
 * before it, of b0 e0 b1 e1 …, where b are the smallest keys of the slices and e the largest. It is
 * odd within a slice and even between two. It is found by a binary search over eight bytes of each
 * boundary, taken behind the prefix that all keys of the tree share; whole keys are compared only
 * where those are equal, so that no slice is touched but the one that is found.
 */
public final class LogicalTree implements SstRun {
  private final long id;
  private final List<SstSlice> slices;
  private final Sst[] sstOfSlice;
  private final Fences fences;
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
    this.fences = new Fences(2 * slices.size(), this::boundary);
    this.sstOfSlice = new Sst[slices.size()];
    long byteSum = 0;
    long entrySum = 0;
    for (int i = 0; i < slices.size(); i++) {
      Sst sst = slices.get(i).sst();
      sstOfSlice[i] = sst;
      if (isFirstOfItsSst(i)) {
        byteSum += sst.meta().fileBytes();
        entrySum += sst.meta().entries();
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

  private byte[] boundary(int index) {
    SstSlice slice = slices.get(index >> 1);
    return isWithinSlice(index) ? slice.largestKey() : slice.smallestKey();
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
    return sstAt(position(key, offset, length));
  }

  /** The SST in which keys of that position lie, or null when that is between two SSTs. */
  @Nullable Sst sstAt(int position) {
    return isWithinSlice(position) ? sstOfSlice[position >> 1] : null;
  }

  private static boolean isWithinSlice(int position) {
    return (position & 1) != 0;
  }

  @Override
  public int firstEndingAtOrBehind(byte[] key, int offset, int length) {
    return position(key, offset, length) >> 1;
  }

  @Override
  public int lastBeginningAtOrBefore(byte[] key, int offset, int length) {
    return (position(key, offset, length) - 1) >> 1;
  }

  /** The largest position a key can have. */
  int lastPosition() {
    return fences.count();
  }

  private int position(byte[] key, int offset, int length) {
    return position(key, offset, length, 0, fences.count());
  }

  /** Position of a key of which it is known that it is {@code from} to {@code to}. */
  int position(byte[] key, int offset, int length, int from, int to) {
    int order = fences.compareWithPrefix(key, offset, length);
    if (order != 0) {
      return order < 0 ? from : to;
    }
    return position(fences.word(key, offset, length), key, offset, length, from, to);
  }

  /**
   * The same for a key that begins with the prefix that all keys of the tree share.
   *
   * @param word its eight bytes behind that
   */
  int position(long word, byte[] key, int offset, int length, int from, int to) {
    int at = fences.firstNotBelow(word, from, to);
    return at < to && fences.word(at) == word
        ? positionAmongEqual(key, offset, length, at, fences.firstAbove(word, at, to))
        : at;
  }

  /**
   * One stray key can make the fences of all other SSTs equal, so this is a binary search too:
   * walking through them would cost as many comparisons as there are SSTs.
   */
  private int positionAmongEqual(byte[] key, int offset, int length, int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] boundary = boundary(middle);
      int order = Bytes.compare(boundary, 0, boundary.length, key, offset, length);
      // The key with which a slice ends lies within it, as that does with which it begins.
      if (isWithinSlice(middle) ? order < 0 : order <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Of the boundaries. */
  Fences fences() {
    return fences;
  }

  private boolean beginsAtOrBefore(int index, byte[] key) {
    return Arrays.compareUnsigned(slices.get(index).smallestKey(), key) <= 0;
  }

  /** Whether an SST of the tree may hold the key. */
  public boolean mayHold(byte[] key, int offset, int length) {
    return isWithinSlice(position(key, offset, length));
  }

  @Override
  public String toString() {
    return "tree " + id + ssts().stream().map(Sst::number).toList();
  }
}
