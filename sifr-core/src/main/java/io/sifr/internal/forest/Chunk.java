package io.sifr.internal.forest;

import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Pivots.Fences;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring slices of a tree, and what is computed from them once. An edit makes new chunks only
 * where it changes something; the trees before and after it share all the others. Immutable; safe
 * for any thread.
 *
 * <p>A key's <em>position</em> in a chunk says which slice may hold it: the number of boundaries
 * before it, of b0 e0 b1 e1 …, where b are the smallest keys of the slices and e the largest. It is
 * odd within a slice and even between two. It is found by a binary search over eight bytes of each
 * boundary, taken after the prefix that all keys of the chunk share; whole keys are compared only
 * where those are equal, so that only the slice that is found is touched.
 */
final class Chunk {
  /** The most slices of a chunk: even the smallest edit looks at that many. */
  static final int MOST = 256;

  /** The fewest, except in a tree of one chunk: smaller ones are joined with their neighbours. */
  static final int FEWEST = MOST / 4;

  private static final int MOST_SAMPLED_KEYS = 1024;

  private final SstSlice[] slices;
  private final Sst[] ssts;
  private final Fences fences;
  private final List<Sst> clipped;
  private final long wholeBytes;
  private final long wholeEntries;
  private final boolean hasRangeTombstones;
  private final boolean refersToValues;
  private final long earliestExpiry;
  private final long lastWrite;
  private final long maxSequence;
  private final long firstLogged;

  /** Made when first needed. */
  private volatile @Nullable KeySketch sketch;

  /** As above. */
  private volatile @Nullable ValueUses wholeValues;

  private Chunk(List<SstSlice> slices) {
    this.slices = slices.toArray(new SstSlice[0]);
    this.fences = new Fences(2 * this.slices.length, this::boundary);
    this.ssts = new Sst[this.slices.length];
    List<Sst> parts = new ArrayList<>();
    long bytes = 0;
    long entries = 0;
    boolean ranges = false;
    boolean refers = false;
    long expiry = ExpiringKind.NEVER;
    long newest = 0;
    long written = 0;
    long logged = LogicalTree.NOT_LOGGED;
    for (int i = 0; i < ssts.length; i++) {
      Sst sst = this.slices[i].sst();
      ssts[i] = sst;
      ranges |= sst.hasRangeTombstones();
      refers |= !sst.meta().values().isEmpty();
      expiry = Math.min(expiry, sst.meta().lastExpiry());
      written = Math.max(written, sst.meta().lastWrite());
      newest = Math.max(newest, sst.meta().maxSequence());
      SstMeta.Logged part = sst.meta().logged();
      logged = part == null ? logged : Math.min(logged, part.after() + 1);
      if (sst == this.slices[i]) {
        bytes += sst.bytes();
        entries += sst.entries();
      } else {
        parts.add(sst);
      }
    }
    this.clipped = List.copyOf(parts);
    this.wholeBytes = bytes;
    this.wholeEntries = entries;
    this.hasRangeTombstones = ranges;
    this.refersToValues = refers;
    this.earliestExpiry = expiry;
    this.lastWrite = written;
    this.maxSequence = newest;
    this.firstLogged = logged;
  }

  /** Chunks of about the same size that hold these slices: none, if there are none. */
  static List<Chunk> cut(List<SstSlice> slices) {
    int size = slices.size();
    int count = (size + MOST - 1) / MOST;
    List<Chunk> chunks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int from = (int) ((long) size * i / count);
      int to = (int) ((long) size * (i + 1) / count);
      chunks.add(new Chunk(slices.subList(from, to)));
    }
    return chunks;
  }

  /** Number of slices. */
  int size() {
    return slices.length;
  }

  SstSlice slice(int index) {
    return slices[index];
  }

  List<SstSlice> slices() {
    return Collections.unmodifiableList(Arrays.asList(slices));
  }

  byte[] smallestKey() {
    return slices[0].smallestKey();
  }

  byte[] largestKey() {
    return slices[slices.length - 1].largestKey();
  }

  /** Bytes of the SSTs that it holds as a whole. */
  long wholeBytes() {
    return wholeBytes;
  }

  /** Entries of the SSTs that it holds as a whole. */
  long wholeEntries() {
    return wholeEntries;
  }

  /** Whether one of its SSTs has range tombstones. */
  boolean hasRangeTombstones() {
    return hasRangeTombstones;
  }

  /** Whether one of its SSTs refers to a value file. */
  boolean refersToValues() {
    return refersToValues;
  }

  /** When the last entry of the SSTs was written, at the latest; 0 if that is not known of any. */
  long lastWrite() {
    return lastWrite;
  }

  /** The earliest time at which all values of one of the SSTs have expired. */
  long earliestExpiry() {
    return earliestExpiry;
  }

  /** The largest sequence number in its SSTs. */
  long maxSequence() {
    return maxSequence;
  }

  /** See {@link LogicalTree#firstLogged}. */
  long firstLogged() {
    return firstLogged;
  }

  /**
   * A sample of the keys of its SSTs, whole ones even where it holds a part. Needs no I/O, and is
   * made once.
   */
  KeySketch sketch() {
    KeySketch known = sketch;
    if (known == null) {
      List<KeySketch> parts =
          Arrays.stream(ssts).distinct().map(sst -> sst.meta().sketch()).toList();
      known = KeySketch.union(parts, MOST_SAMPLED_KEYS);
      sketch = known;
    }
    return known;
  }

  /** What the SSTs refer to in value files that it holds as a whole. Made once. */
  ValueUses wholeValues() {
    ValueUses known = wholeValues;
    if (known == null) {
      ValueUses.Sum sum = new ValueUses.Sum();
      for (int i = 0; i < ssts.length; i++) {
        if (slices[i] == ssts[i]) {
          sum.add(ssts[i]);
        }
      }
      known = sum.uses();
      wholeValues = known;
    }
    return known;
  }

  /** The SSTs of which it holds a part, once for each part. */
  List<Sst> clipped() {
    return clipped;
  }

  /** The SST in which keys of that position lie, or null when that is between two slices. */
  @Nullable Sst sstAt(int position) {
    return isWithinSlice(position) ? ssts[position >> 1] : null;
  }

  private static boolean isWithinSlice(int position) {
    return (position & 1) != 0;
  }

  /** The largest position a key can have. */
  int lastPosition() {
    return fences.count();
  }

  /** Position of a key of which it is known that it is {@code from} to {@code to}. */
  int position(byte[] key, int offset, int length, int from, int to) {
    int order = fences.compareWithPrefix(key, offset, length);
    if (order != 0) {
      return order < 0 ? from : to;
    }
    return positionWithin(key, offset, length, from, to);
  }

  /** The same for a key between two keys of the chunk, which so begins with their prefix. */
  int positionWithin(byte[] key, int offset, int length, int from, int to) {
    long word = fences.word(key, offset, length);
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

  private byte[] boundary(int index) {
    SstSlice slice = slices[index >> 1];
    return isWithinSlice(index) ? slice.largestKey() : slice.smallestKey();
  }
}
