package io.sifr.internal.forest;

import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstRun;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A global index over SSTs of disjoint key ranges in ascending order (TPDS §4.1). Immutable; safe
 * for any thread.
 *
 * <p>What a compaction has processed belongs to the output tree and can no longer be found in the
 * input trees (I2): of the SSTs at the ends of its key ranges they hold slices.
 *
 * <p>A tree is a B+-tree of two levels that is never changed in place: its slices are cut into
 * {@link Chunk}s, and the smallest keys of the chunks are its {@link Pivots}. A changed tree shares
 * all chunks with the tree before, except those that the change touches and perhaps a neighbour of
 * theirs. So an edit costs as much as it changes, plus some nanoseconds per chunk.
 */
public final class LogicalTree implements SstRun {
  /** What {@link #firstLogged} is if no log is needed. */
  public static final long NOT_LOGGED = Long.MAX_VALUE;

  private static final Comparator<SstSlice> BY_SMALLEST_KEY =
      Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned);

  private static final Chunk[] NO_CHUNKS = {};

  private final long id;
  private final Chunk[] chunks;

  /** Index of the first slice of each chunk, and the number of all slices. */
  private final int[] starts;

  /** The smallest keys of all chunks but the first: a key of cell i can only be in chunk i. */
  private final Pivots borders;

  private final Slices slices = new Slices();
  private final int sstCount;
  private final long bytes;
  private final long entries;
  private final boolean hasRangeTombstones;
  private final long earliestExpiry;
  private final long lastWrite;
  private final long maxSequence;
  private final long firstLogged;

  /** Made when first needed. */
  private volatile @Nullable ValueUses values;

  /**
   * @param id number of the tree, unique in the store
   * @param slices its SSTs, or what it holds of them; disjoint and ascending
   * @throws IllegalArgumentException when they are not, or one ends before it begins
   */
  public LogicalTree(long id, List<? extends SstSlice> slices) {
    this(id, chunks(id, List.copyOf(slices)));
  }

  private static Chunk[] chunks(long id, List<SstSlice> slices) {
    checkDisjointAndAscending(id, slices);
    return Chunk.cut(slices).toArray(NO_CHUNKS);
  }

  private LogicalTree(long id, Chunk[] chunks) {
    this.id = id;
    this.chunks = chunks;
    this.starts = new int[chunks.length + 1];
    Set<Sst> clipped = new HashSet<>();
    int count = 0;
    long byteSum = 0;
    long entrySum = 0;
    boolean ranges = false;
    long expiry = ExpiringKind.NEVER;
    long newest = 0;
    long written = 0;
    long logged = NOT_LOGGED;
    for (int i = 0; i < chunks.length; i++) {
      Chunk chunk = chunks[i];
      starts[i + 1] = starts[i] + chunk.size();
      count += chunk.size() - chunk.clipped().size();
      byteSum += chunk.wholeBytes();
      entrySum += chunk.wholeEntries();
      ranges |= chunk.hasRangeTombstones();
      expiry = Math.min(expiry, chunk.earliestExpiry());
      written = Math.max(written, chunk.lastWrite());
      newest = Math.max(newest, chunk.maxSequence());
      logged = Math.min(logged, chunk.firstLogged());
      clipped.addAll(chunk.clipped());
    }
    for (Sst sst : clipped) {
      byteSum += sst.bytes();
      entrySum += sst.entries();
    }
    this.borders = borders(chunks);
    this.sstCount = count + clipped.size();
    this.bytes = byteSum;
    this.entries = entrySum;
    this.hasRangeTombstones = ranges;
    this.earliestExpiry = expiry;
    this.lastWrite = written;
    this.maxSequence = newest;
    this.firstLogged = logged;
  }

  private static Pivots borders(Chunk[] chunks) {
    byte[][] keys = new byte[Math.max(0, chunks.length - 1)][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = chunks[i + 1].smallestKey();
    }
    return new Pivots(keys);
  }

  private static void checkDisjointAndAscending(long id, List<SstSlice> slices) {
    SstSlice before = null;
    for (SstSlice slice : slices) {
      if (Arrays.compareUnsigned(slice.smallestKey(), slice.largestKey()) > 0) {
        throw new IllegalArgumentException(
            "tree " + id + ": SST " + slice.sst().number() + " ends before it begins");
      }
      if (before != null) {
        checkAscending(id, before, slice);
      }
      before = slice;
    }
  }

  private static void checkAscending(long id, SstSlice slice, SstSlice next) {
    if (Arrays.compareUnsigned(slice.largestKey(), next.smallestKey()) >= 0) {
      throw new IllegalArgumentException(
          String.format(
              "tree %d: SST %d does not lie after SST %d",
              id, next.sst().number(), slice.sst().number()));
    }
  }

  /** Number of the tree, unique in the store. */
  public long id() {
    return id;
  }

  @Override
  public List<SstSlice> slices() {
    return slices;
  }

  /** The slices of all chunks. */
  private final class Slices extends AbstractList<SstSlice> implements RandomAccess {
    @Override
    public SstSlice get(int index) {
      if (index < 0 || index >= size()) {
        throw new IndexOutOfBoundsException("slice " + index + " of " + size());
      }
      int chunk = chunkOf(index);
      return chunks[chunk].slice(index - starts[chunk]);
    }

    @Override
    public int size() {
      return starts[chunks.length];
    }
  }

  /** The chunk that holds the slice of an index less than the number of slices. */
  private int chunkOf(int index) {
    int found = Arrays.binarySearch(starts, 0, chunks.length, index);
    return found >= 0 ? found : -found - 2;
  }

  /**
   * The SSTs it holds something of, each once, in the order in which they begin. Other SSTs may lie
   * between two slices of one.
   */
  public List<Sst> ssts() {
    List<Sst> ssts = new ArrayList<>(slices.size());
    Set<Sst> clipped = new HashSet<>();
    for (Chunk chunk : chunks) {
      for (SstSlice slice : chunk.slices()) {
        if (slice instanceof Sst || clipped.add(slice.sst())) {
          ssts.add(slice.sst());
        }
      }
    }
    return ssts;
  }

  /** Whether it may hold a key of the key range. */
  public boolean holdsIn(KeySpan span) {
    return firstIn(span) < endOf(span);
  }

  /** Whether it may hold a key from {@code from} on and before {@code to}; null: without an end. */
  public boolean holdsBetween(byte[] from, byte @Nullable [] to) {
    int first = firstEndingAtOrAfter(from, 0, from.length);
    return first < slices.size()
        && (to == null || Arrays.compareUnsigned(slices.get(first).smallestKey(), to) < 0);
  }

  /** Whether it holds something of the SST. */
  public boolean holds(Sst sst) {
    byte[] smallest = sst.smallestKey();
    int first = firstEndingAtOrAfter(smallest, 0, smallest.length);
    return slices.subList(first, endAt(sst.largestKey())).stream()
        .anyMatch(slice -> slice.sst() == sst);
  }

  /** This tree and more SSTs. */
  LogicalTree with(List<Sst> ssts) {
    if (ssts.isEmpty()) {
      return this;
    }
    List<SstSlice> more = new ArrayList<>(ssts);
    more.sort(BY_SMALLEST_KEY);
    int from = endAt(more.get(0).smallestKey());
    int to = endAt(more.get(more.size() - 1).smallestKey());
    if (from < to) {
      more.addAll(0, slices.subList(from, to));
      more.sort(BY_SMALLEST_KEY);
    }
    return replaced(from, to, more);
  }

  /**
   * This tree with other SSTs in the place of one, or of slices of it, that have the same content.
   *
   * @throws IllegalArgumentException when it holds nothing of the SST, or they overlap others
   */
  LogicalTree replacing(long number, List<Sst> by) {
    List<SstSlice> left =
        slices.stream().filter(slice -> slice.sst().meta().number() != number).toList();
    if (left.size() == slices.size()) {
      throw new IllegalArgumentException("tree " + id + " has no SST " + number);
    }
    return new LogicalTree(id, left).with(by);
  }

  /** This tree without the keys of a key range. */
  LogicalTree without(KeySpan span) {
    int from = firstIn(span);
    int to = endOf(span);
    if (from == to) {
      return this;
    }
    List<SstSlice> left = new ArrayList<>(2);
    SstSlice first = slices.get(from);
    byte[] above = span.above();
    if (above != null && Arrays.compareUnsigned(first.smallestKey(), above) <= 0) {
      left.add(new ClippedSst(first.sst(), first.smallestKey(), above));
    }
    SstSlice end = slices.get(to - 1);
    byte[] last = span.last();
    if (last != null && Arrays.compareUnsigned(end.largestKey(), last) > 0) {
      left.add(new ClippedSst(end.sst(), Bytes.successor(last), end.largestKey()));
    }
    return replaced(from, to, left);
  }

  /** What the tree holds in a key range. */
  public LogicalTree within(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    LogicalTree upTo = last == null ? this : without(new KeySpan(last, null));
    return above == null ? upTo : upTo.without(KeySpan.upTo(above));
  }

  /** The slices that hold something in a key range, whole. */
  public List<SstSlice> slicesIn(KeySpan span) {
    return slices.subList(firstIn(span), endOf(span));
  }

  /** Index of the first slice that ends in or after a key range. */
  private int firstIn(KeySpan span) {
    byte[] above = span.above();
    byte[] begin = above == null ? Bytes.EMPTY : Bytes.successor(above);
    return firstEndingAtOrAfter(begin, 0, begin.length);
  }

  /** Index of the first slice that begins after a key range. */
  private int endOf(KeySpan span) {
    byte[] last = span.last();
    return last == null ? slices.size() : endAt(last);
  }

  /** Index of the first slice that begins after a key. */
  private int endAt(byte[] key) {
    return 1 + lastBeginningAtOrBefore(key, 0, key.length);
  }

  /**
   * This tree with some of its slices replaced, which is how every changed tree is made. Chunks
   * that have become too small are joined with their neighbours.
   *
   * @param from index of the first slice that is left out
   * @param to index of the first after it that is not
   * @param by what is there instead
   */
  private LogicalTree replaced(int from, int to, List<SstSlice> by) {
    if (from == to && by.isEmpty()) {
      return this;
    }
    int size = slices.size();
    int first = size == 0 ? 0 : chunkOf(Math.min(from, size - 1));
    int end = size == 0 ? 0 : 1 + chunkOf(Math.max(to - 1, Math.min(from, size - 1)));
    int left = starts[end] - starts[first] - (to - from) + by.size();
    while (left > 0 && left < Chunk.FEWEST && end - first < chunks.length) {
      left += end < chunks.length ? chunks[end++].size() : chunks[--first].size();
    }
    List<SstSlice> touched = new ArrayList<>(left);
    addTo(touched, first, starts[first], from);
    int at = touched.size();
    touched.addAll(by);
    addTo(touched, first, to, starts[end]);
    // What was in this tree was checked before.
    checkDisjointAndAscending(
        id, touched.subList(Math.max(0, at - 1), Math.min(left, at + by.size() + 1)));
    List<Chunk> made = Chunk.cut(touched);
    int after = chunks.length - end;
    Chunk[] changed = new Chunk[first + made.size() + after];
    System.arraycopy(chunks, 0, changed, 0, first);
    for (int i = 0; i < made.size(); i++) {
      changed[first + i] = made.get(i);
    }
    System.arraycopy(chunks, end, changed, first + made.size(), after);
    if (!touched.isEmpty()) {
      if (first > 0) {
        checkAscending(id, slices.get(starts[first] - 1), touched.get(0));
      }
      if (after > 0) {
        checkAscending(id, touched.get(touched.size() - 1), slices.get(starts[end]));
      }
    }
    return new LogicalTree(id, changed);
  }

  /** Number of the SSTs it holds something of. */
  public int sstCount() {
    return sstCount;
  }

  /** Adds slices to a list; the first is in that chunk or a later one. */
  private void addTo(List<SstSlice> target, int chunk, int from, int to) {
    for (int i = chunk; i < chunks.length && starts[i] < to; i++) {
      int end = Math.min(to, starts[i + 1]) - starts[i];
      for (int j = Math.max(0, from - starts[i]); j < end; j++) {
        target.add(chunks[i].slice(j));
      }
    }
  }

  /**
   * Samples of the keys of all its SSTs, which together are one: no key is in two of them, unless
   * parts of an SST are far from each other. Needs no I/O; what edits do not change is made once.
   */
  public List<KeySketch> sketches() {
    return Arrays.stream(chunks).map(Chunk::sketch).toList();
  }

  /** Whether one of its SSTs refers to a value file. */
  boolean refersToValues() {
    for (Chunk chunk : chunks) {
      if (chunk.refersToValues()) {
        return true;
      }
    }
    return false;
  }

  /** What its SSTs refer to in value files. Made once. */
  public ValueUses values() {
    ValueUses known = values;
    if (known == null) {
      ValueUses.Sum sum = new ValueUses.Sum();
      Set<Sst> clipped = new HashSet<>();
      for (Chunk chunk : chunks) {
        sum.add(chunk.wholeValues());
        clipped.addAll(chunk.clipped());
      }
      clipped.forEach(sum::add);
      known = sum.uses();
      values = known;
    }
    return known;
  }

  /** Bytes of all its files. */
  public long bytes() {
    return bytes;
  }

  /**
   * Bytes of what it holds, about: unlike {@link #bytes}, without those of SSTs of which other
   * parts are gone.
   */
  public long liveBytes() {
    return Arrays.stream(chunks).mapToLong(Chunk::wholeBytes).sum()
        + clipped().stream().mapToLong(SstSlice::bytes).sum();
  }

  /** The slices that are only a part of their SST, ascending. */
  public List<ClippedSst> clipped() {
    return Arrays.stream(chunks)
        .filter(chunk -> !chunk.clipped().isEmpty())
        .flatMap(chunk -> chunk.slices().stream())
        .filter(ClippedSst.class::isInstance)
        .map(ClippedSst.class::cast)
        .toList();
  }

  /** Entries in all its SSTs, tombstones and shadowed versions included. */
  public long entries() {
    return entries;
  }

  /** Whether one of its SSTs has range tombstones. */
  public boolean hasRangeTombstones() {
    return hasRangeTombstones;
  }

  /**
   * The earliest time at which all values of one of its SSTs have expired, see {@link
   * io.sifr.internal.sst.format.SstMeta#lastExpiry}.
   */
  public long earliestExpiry() {
    return earliestExpiry;
  }

  /**
   * When the last of its entries was written, at the latest, in milliseconds since the epoch; 0 if
   * that is not known of any SST.
   */
  public long lastWrite() {
    return lastWrite;
  }

  /** No entry and no range tombstone of it has a larger sequence number. */
  public long maxSequence() {
    return maxSequence;
  }

  /**
   * The sequence number from which on the log is needed, because SSTs may be lost that have the
   * same writes; {@link #NOT_LOGGED} if there are none.
   */
  public long firstLogged() {
    return firstLogged;
  }

  /** The one SST that may hold the key, or null when none can. */
  public @Nullable Sst find(byte[] key, int offset, int length) {
    if (chunks.length == 0) {
      return null;
    }
    Chunk chunk = chunks[borders.cell(key, offset, length)];
    return chunk.sstAt(chunk.position(key, offset, length, 0, chunk.lastPosition()));
  }

  /** Whether an SST of the tree may hold the key. */
  public boolean mayHold(byte[] key, int offset, int length) {
    return find(key, offset, length) != null;
  }

  @Override
  public int firstEndingAtOrAfter(byte[] key, int offset, int length) {
    return position(key, offset, length) >> 1;
  }

  @Override
  public int lastBeginningAtOrBefore(byte[] key, int offset, int length) {
    return (position(key, offset, length) - 1) >> 1;
  }

  /** The position of a key if the tree were one chunk. */
  private int position(byte[] key, int offset, int length) {
    if (chunks.length == 0) {
      return 0;
    }
    int cell = borders.cell(key, offset, length);
    Chunk chunk = chunks[cell];
    return 2 * starts[cell] + chunk.position(key, offset, length, 0, chunk.lastPosition());
  }

  /** The smallest keys of all chunks but the first: a key of cell i can only be in chunk i. */
  Pivots borders() {
    return borders;
  }

  /** Its chunks in ascending order. */
  List<Chunk> chunks() {
    return List.of(chunks);
  }

  @Override
  public String toString() {
    return "tree " + id + ssts().stream().map(Sst::number).toList();
  }
}
