package io.sifr.internal.forest;

import io.sifr.internal.sst.ClippedSst;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstRun;
import io.sifr.internal.sst.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A global index over SSTs of disjoint key ranges in ascending order (TPDS §4.1). Immutable; safe
 * for any thread.
 *
 * <p>What a compaction has merged belongs to the output tree and can no longer be found in the
 * input trees (I2): of the SSTs at the ends of its spans they hold slices.
 *
 * <p>A key's <em>position</em> tells which slice may hold it: the number of boundaries before it,
 * of b0 e0 b1 e1 …, where b are the smallest keys of the slices and e the largest. It is odd within
 * a slice and even between two. It is found by a binary search over eight bytes of each boundary,
 * taken after the prefix that all keys of the tree share; whole keys are compared only where those
 * are equal, so that only the slice that is found is touched.
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
   * @param slices its SSTs, or what it holds of them; disjoint and ascending
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
      sstOfSlice[i] = slices.get(i).sst();
    }
    for (Sst sst : ssts()) {
      byteSum += sst.meta().fileBytes();
      entrySum += sst.meta().entries();
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
                "tree %d: SST %d does not lie after SST %d",
                id, slice.sst().number(), slices.get(i - 1).sst().number()));
      }
    }
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

  /**
   * The SSTs it holds something of, each once, in the order in which they begin. Other SSTs may lie
   * between two slices of one.
   */
  public List<Sst> ssts() {
    List<Sst> ssts = new ArrayList<>(slices.size());
    Set<Sst> clipped = new HashSet<>();
    for (SstSlice slice : slices) {
      if (slice instanceof Sst || clipped.add(slice.sst())) {
        ssts.add(slice.sst());
      }
    }
    return ssts;
  }

  /** Whether it may hold a key of the span. */
  public boolean holdsIn(KeySpan span) {
    int first = firstIn(span);
    return first < slices.size() && isIn(span, slices.get(first));
  }

  /** This tree and more SSTs. */
  LogicalTree with(List<Sst> ssts) {
    List<SstSlice> all = new ArrayList<>(slices);
    all.addAll(ssts);
    all.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
    return new LogicalTree(id, all);
  }

  /** This tree without the keys of a span. */
  LogicalTree without(KeySpan span) {
    if (!holdsIn(span)) {
      return this;
    }
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
    if (slices.isEmpty()
        || span.contains(slices.get(0).smallestKey(), slices.get(slices.size() - 1).largestKey())) {
      return this;
    }
    int from = firstIn(span);
    int to = from;
    while (to < slices.size() && isIn(span, slices.get(to))) {
      to++;
    }
    List<SstSlice> kept = new ArrayList<>(slices.subList(from, to));
    for (int end : new int[] {0, kept.size() - 1}) {
      if (!kept.isEmpty()) {
        kept.set(end, span.clip(kept.get(end)));
      }
    }
    return new LogicalTree(id, kept);
  }

  private static boolean isIn(KeySpan span, SstSlice slice) {
    return span.overlaps(slice.smallestKey(), slice.largestKey());
  }

  /** Index of the first slice that ends in or after a span. */
  private int firstIn(KeySpan span) {
    byte[] above = span.above();
    byte[] begin = above == null ? Bytes.EMPTY : Bytes.successor(above);
    return firstEndingAtOrAfter(begin, 0, begin.length);
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
  public int firstEndingAtOrAfter(byte[] key, int offset, int length) {
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
   * @param word its eight bytes after that
   */
  int position(long word, byte[] key, int offset, int length, int from, int to) {
    int at = fences.firstNotBelow(word, from, to);
    return at < to && fences.word(at) == word
        ? positionAmongEqual(key, offset, length, at, fences.firstAbove(word, at, to))
        : at;
  }

  /**
   * One outlier can make the fences of all other SSTs equal, so this is a binary search too: a
   * linear scan would cost as many comparisons as there are SSTs.
   */
  private int positionAmongEqual(byte[] key, int offset, int length, int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] boundary = boundary(middle);
      int order = Bytes.compare(boundary, 0, boundary.length, key, offset, length);
      // A slice holds both its smallest and its largest key.
      if (isWithinSlice(middle) ? order < 0 : order <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The fences of the boundaries. */
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
