package io.sifr.internal.entry.range;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range tombstones of one source: a memtable, an SST, or what a compaction reads. A range
 * tombstone deletes all keys from one, inclusive, to another, exclusive: it hides every version of
 * them with a smaller sequence number.
 *
 * <p>Tombstones may overlap. They are kept fragmented: cut at each other's ends into fragments that
 * do not overlap, each with the sequence numbers of all tombstones that cover it. So one binary
 * search finds all that is known of a key. Neighbours with the same sequence numbers are one
 * fragment, so a tombstone that was cut in two and is put together again leaves no trace.
 *
 * <p>Never empty: whoever has no range tombstones holds null. Immutable, and safe for any thread;
 * arrays that are passed in or returned must not be changed.
 */
public final class RangeTombstones implements TombstonePlace {
  /**
   * Keys that no tombstone covers from one fragment to the next are a fragment without sequence
   * numbers.
   */
  private static final long[] NONE = {};

  /** The heap that an array takes besides its elements, with the reference to it. */
  private static final int ARRAY_BYTES = 16 + 8;

  /** At most so many fragments on either side are looked at for the same answer. */
  private static final int MOST_ALIKE = 64;

  /** The start of each fragment, ascending; it ends where the next one begins, the last nowhere. */
  private final byte[][] starts;

  /** The {@link Bytes#prefix prefixes} of these keys, in signed order. */
  private final long[] prefixes;

  /**
   * For each fragment the sequence numbers of what covers it, descending. The first fragment is
   * covered; neighbours differ.
   */
  private final long[][] sequences;

  private final long bytes;

  private RangeTombstones(byte[][] starts, long[] prefixes, long[][] sequences, long bytes) {
    this.starts = starts;
    this.prefixes = prefixes;
    this.sequences = sequences;
    this.bytes = bytes;
  }

  /**
   * Keys that the same tombstones cover.
   *
   * @param from the first key
   * @param to the key after the last one; null: there is none, the fragment has no end
   * @param sequences of the tombstones that cover it, descending, at least one
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Fragment(byte[] from, byte @Nullable [] to, long[] sequences) {}

  /**
   * A single tombstone.
   *
   * @param to the key after the last one that it covers; null: it covers all keys from {@code from}
   * @throws IllegalArgumentException when it covers no key, or its sequence number is not positive
   */
  public static RangeTombstones of(byte[] from, byte @Nullable [] to, long sequence) {
    return of(List.of(new Fragment(from, to, new long[] {sequence})));
  }

  /**
   * Tombstones from their fragments.
   *
   * @param fragments at least one, ascending
   * @throws IllegalArgumentException when they overlap or are not ascending, or one of them has no
   *     key, or sequence numbers that are not positive and descending
   */
  public static RangeTombstones of(List<Fragment> fragments) {
    Assembly assembly = new Assembly(2 * fragments.size());
    byte[] end = Bytes.EMPTY;
    for (Fragment fragment : fragments) {
      byte[] from = fragment.from;
      byte[] to = fragment.to;
      if (end == null || Arrays.compareUnsigned(end, from) > 0) {
        throw new IllegalArgumentException("the fragment from " + KeyText.of(from) + " overlaps");
      }
      if (to != null && Arrays.compareUnsigned(from, to) >= 0) {
        throw new IllegalArgumentException(
            "no key from " + KeyText.of(from) + " to " + KeyText.of(to));
      }
      checkSequences(fragment.sequences);
      if (!Arrays.equals(end, from)) {
        assembly.add(end, NONE);
      }
      assembly.add(from, fragment.sequences);
      end = to;
    }
    if (end != null) {
      assembly.add(end, NONE);
    }
    RangeTombstones assembled = assembly.assembled();
    checkArgument(assembled != null, "no fragment");
    return assembled;
  }

  private static void checkSequences(long[] sequences) {
    long before = Long.MAX_VALUE;
    for (long sequence : sequences) {
      if (sequence < 1 || sequence >= before) {
        throw new IllegalArgumentException(
            "sequence numbers " + Arrays.toString(sequences) + " of a range tombstone");
      }
      before = sequence;
    }
    checkArgument(sequences.length != 0, "a range tombstone without a sequence number");
  }

  /**
   * These and one more. Takes time in proportion to the number of fragments, but hardly more than
   * copying their references.
   *
   * @param to the key after the last one that it covers; null: it covers all keys from {@code from}
   * @throws IllegalArgumentException when it covers no key, or its sequence number is not positive
   */
  public RangeTombstones with(byte[] from, byte @Nullable [] to, long sequence) {
    return and(of(from, to, sequence));
  }

  /** The sequence numbers of the keys just before the beginning of a fragment. */
  private long[] sequencesBefore(int fragment) {
    return fragment == 0 ? NONE : sequences[fragment - 1];
  }

  /**
   * The tombstones of several sources as those of one.
   *
   * @param all some of them may be the same, or clipped parts of the same
   * @return null when there are none
   */
  public static @Nullable RangeTombstones merged(List<RangeTombstones> all) {
    return all.isEmpty() ? null : union(all, false);
  }

  /**
   * The tombstones of one batch, of which no reader sees some and not others: where they overlap,
   * only the newest is kept.
   *
   * @param all at least one
   */
  public static RangeTombstones newestOf(List<RangeTombstones> all) {
    return union(all, true);
  }

  /** These and others. */
  public RangeTombstones and(RangeTombstones others) {
    return and(others, false);
  }

  private static RangeTombstones union(List<RangeTombstones> all, boolean newest) {
    int half = all.size() / 2;
    return half == 0
        ? all.get(0)
        : union(all.subList(0, half), newest)
            .and(union(all.subList(half, all.size()), newest), newest);
  }

  private RangeTombstones and(RangeTombstones other, boolean newest) {
    Assembly assembly = new Assembly(starts.length + other.starts.length);
    int first = firstFrom(other.starts[0]);
    int a = first;
    int b = 0;
    assembly.copy(this, 0, first);
    while (b < other.starts.length || (a < starts.length && other.end() == null)) {
      int order =
          a == starts.length
              ? 1
              : b == other.starts.length ? -1 : Arrays.compareUnsigned(starts[a], other.starts[b]);
      byte[] start = order <= 0 ? starts[a] : other.starts[b];
      a += order <= 0 ? 1 : 0;
      b += order >= 0 ? 1 : 0;
      long[] both = union(sequencesBefore(a), other.sequencesBefore(b));
      assembly.add(start, newest && both.length > 1 ? new long[] {both[0]} : both);
    }
    assembly.copy(this, a, starts.length);
    assembly.bytes += bytes;
    for (int i = first; i < a; i++) {
      assembly.bytes -= Assembly.bytes(starts[i], sequences[i]);
    }
    return assembly.whole();
  }

  /** The numbers of both, descending. */
  private static long[] union(long[] a, long[] b) {
    if (a.length == 0 || b.length == 0) {
      return a.length == 0 ? b : a;
    }
    long[] both = new long[a.length + b.length];
    int length = 0;
    int i = 0;
    int j = 0;
    while (i < a.length || j < b.length) {
      long x = i < a.length ? a[i] : 0;
      long y = j < b.length ? b[j] : 0;
      both[length++] = Math.max(x, y);
      i += x >= y ? 1 : 0;
      j += y >= x ? 1 : 0;
    }
    return length == both.length ? both : Arrays.copyOf(both, length);
  }

  /**
   * What these cover in a part of the key space.
   *
   * @param from the first key of the part; null: it begins with the first key of all
   * @param to the key after its last one; null: it has no end
   * @return null when they cover nothing in it
   */
  public @Nullable RangeTombstones clipped(byte @Nullable [] from, byte @Nullable [] to) {
    int begin = from == null ? 0 : firstFrom(from);
    int end = to == null ? starts.length : firstFrom(to);
    if (begin == 0 && (to == null || (end == starts.length && end() != null))) {
      return this;
    }
    if (from != null && to != null && Arrays.compareUnsigned(from, to) >= 0) {
      return null;
    }
    Assembly assembly = new Assembly(Math.max(0, end - begin) + 2);
    if (from != null && (begin == starts.length || !Arrays.equals(starts[begin], from))) {
      assembly.add(from, sequencesBefore(begin));
    }
    assembly.addAll(this, begin, end);
    if (to != null) {
      assembly.add(to, NONE);
    }
    return assembly.assembled();
  }

  /**
   * The newest tombstone that covers a key, for a reader at a sequence number.
   *
   * @return its sequence number, at most {@code atMost}; 0 when none covers it
   */
  public long newestCovering(byte[] array, int offset, int length, long atMost) {
    return newestOf(firstAbove(array, offset, length) - 1, atMost);
  }

  @Override
  public long newestCovering(
      byte[] array, int offset, int length, long atMost, boolean exactly, KeyStretch around) {
    int fragment = firstAbove(array, offset, length) - 1;
    long newest = newestOf(fragment, atMost);
    int first = fragment;
    int least = Math.max(0, fragment - MOST_ALIKE);
    while (first > least && isAlike(newest, newestOf(first - 1, atMost), exactly)) {
      first--;
    }
    int end = fragment + 1;
    int most = Math.min(starts.length, end + MOST_ALIKE);
    while (end < most && isAlike(newest, newestOf(end, atMost), exactly)) {
      end++;
    }
    if (first >= 0) {
      around.notBefore(starts[first]);
    }
    if (end < starts.length) {
      around.before(starts[end]);
    }
    return newest;
  }

  private static boolean isAlike(long a, long b, boolean exactly) {
    return a == b || (!exactly && a > 0 && b > 0);
  }

  private long newestOf(int fragment, long atMost) {
    return fragment < 0 ? 0 : newest(sequences[fragment], atMost);
  }

  /** The largest of descending numbers that is at most that; 0 when there is none. */
  private static long newest(long[] sequences, long atMost) {
    for (long sequence : sequences) {
      if (sequence <= atMost) {
        return sequence;
      }
    }
    return 0;
  }

  /** Index of the first fragment that does not begin before a key. */
  private int firstFrom(byte[] key) {
    int above = firstAbove(key, 0, key.length);
    return above > 0 && Arrays.equals(starts[above - 1], key) ? above - 1 : above;
  }

  /** Index of the first fragment that begins after a key. */
  private int firstAbove(byte[] array, int offset, int length) {
    long prefix = prefix(array, offset, length);
    int low = 0;
    int high = starts.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isAbove(middle, prefix, array, offset, length)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private boolean isAbove(int fragment, long prefix, byte[] array, int offset, int length) {
    if (prefixes[fragment] != prefix) {
      return prefixes[fragment] > prefix;
    }
    byte[] start = starts[fragment];
    return Bytes.compare(start, 0, start.length, array, offset, length) > 0;
  }

  private static long prefix(byte[] array, int offset, int length) {
    return Bytes.prefix(array, offset, length) ^ Long.MIN_VALUE;
  }

  /**
   * The oldest tombstone that hides a version of a key.
   *
   * @param sequence the version's sequence number
   * @return the smallest larger one of a tombstone that covers the key; {@link Long#MAX_VALUE} when
   *     there is none
   */
  public long oldestHiding(byte[] array, int offset, int length, long sequence) {
    int fragment = firstAbove(array, offset, length) - 1;
    return fragment < 0 ? Long.MAX_VALUE : oldestAbove(sequences[fragment], sequence);
  }

  private static long oldestAbove(long[] sequences, long sequence) {
    long oldest = Long.MAX_VALUE;
    for (int i = 0; i < sequences.length && sequences[i] > sequence; i++) {
      oldest = sequences[i];
    }
    return oldest;
  }

  /**
   * The sequence number from which on readers see no version of any key of a range.
   *
   * @param last the last key of the range
   * @param newest no version in the range has a larger sequence number
   * @return {@link Long#MAX_VALUE} when some key is covered by no newer tombstone
   */
  public long hidingAll(byte[] first, byte[] last, long newest) {
    long from = 0;
    for (int i = firstAbove(first, 0, first.length) - 1; i < starts.length; i++) {
      from = Math.max(from, i < 0 ? Long.MAX_VALUE : oldestAbove(sequences[i], newest));
      if (from == Long.MAX_VALUE
          || i + 1 == starts.length
          || Arrays.compareUnsigned(starts[i + 1], last) > 0) {
        return from;
      }
    }
    return from;
  }

  /** The first covered key from a key on; null when there is none. */
  public byte @Nullable [] firstCovered(byte[] from) {
    int fragment = firstAbove(from, 0, from.length) - 1;
    if (fragment >= 0 && sequences[fragment].length > 0) {
      return from;
    }
    // Neighbours differ, so one that is covered follows.
    return fragment + 1 < starts.length ? starts[fragment + 1] : null;
  }

  /**
   * The first key of a range that a tombstone covers whose sequence number is larger than one; null
   * when there is none.
   *
   * @param to the key after the last one of the range; null: there is none
   */
  public byte @Nullable [] firstCovered(byte[] from, byte @Nullable [] to, long since) {
    for (int i = Math.max(0, firstAbove(from, 0, from.length) - 1); i < starts.length; i++) {
      if (to != null && Arrays.compareUnsigned(starts[i], to) >= 0) {
        return null;
      }
      if (newest(sequences[i], Long.MAX_VALUE) > since) {
        return Arrays.compareUnsigned(starts[i], from) > 0 ? starts[i] : from;
      }
    }
    return null;
  }

  /** The smallest sequence number. */
  public long oldest() {
    return Arrays.stream(sequences).flatMapToLong(Arrays::stream).min().orElseThrow();
  }

  /** The largest sequence number. */
  public long newest() {
    return Arrays.stream(sequences).flatMapToLong(Arrays::stream).max().orElseThrow();
  }

  /** The first key that is covered. */
  public byte[] first() {
    return starts[0];
  }

  /** The key after the last one that is covered; null when they have no end. */
  public byte @Nullable [] end() {
    int last = starts.length - 1;
    return sequences[last].length == 0 ? starts[last] : null;
  }

  /** The fragments, ascending; neighbours have different sequence numbers. */
  public List<Fragment> fragments() {
    List<Fragment> fragments = new ArrayList<>(starts.length);
    for (int i = 0; i < starts.length; i++) {
      if (sequences[i].length > 0) {
        byte[] end = i + 1 < starts.length ? starts[i + 1] : null;
        fragments.add(new Fragment(starts[i], end, sequences[i]));
      }
    }
    return fragments;
  }

  /** Number of keys at which fragments begin or end: what it costs to copy them. */
  public int size() {
    return starts.length;
  }

  /** Number of fragments. */
  public long count() {
    return Arrays.stream(sequences).filter(numbers -> numbers.length > 0).count();
  }

  /** Estimate of what they take on the heap, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** The fragments with their keys as text. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Fragment fragment : fragments()) {
      text.append(text.isEmpty() ? "[" : " [").append(KeyText.of(fragment.from)).append(", ");
      text.append(fragment.to == null ? "" : KeyText.of(fragment.to)).append(")");
      text.append(Arrays.toString(fragment.sequences));
    }
    return text.toString();
  }

  /** Fragments from the first to the last. */
  private static final class Assembly {
    private final byte[][] starts;
    private final long[] prefixes;
    private final long[][] sequences;
    private int count;
    private long bytes;

    Assembly(int most) {
      starts = new byte[most][];
      prefixes = new long[most];
      sequences = new long[most][];
    }

    /** Adds a fragment; one with the sequence numbers of its predecessor is a part of that. */
    void add(byte[] start, long[] numbers) {
      if (!Arrays.equals(numbers, count == 0 ? NONE : sequences[count - 1])) {
        starts[count] = start;
        prefixes[count] = prefix(start, 0, start.length);
        sequences[count] = numbers;
        count++;
        bytes += bytes(start, numbers);
      }
    }

    /** Adds fragments of others; the first of them may be a part of its predecessor. */
    void addAll(RangeTombstones others, int from, int to) {
      copy(others, from, to);
      for (int i = from; i < to; i++) {
        bytes += bytes(others.starts[i], others.sequences[i]);
      }
    }

    /** The same without counting their bytes, which takes longer than to copy many of them. */
    void copy(RangeTombstones others, int from, int to) {
      if (from < to) {
        int after = from + 1;
        add(others.starts[from], others.sequences[from]);
        bytes -= bytes(others.starts[from], others.sequences[from]);
        System.arraycopy(others.starts, after, starts, count, to - after);
        System.arraycopy(others.prefixes, after, prefixes, count, to - after);
        System.arraycopy(others.sequences, after, sequences, count, to - after);
        count += to - after;
      }
    }

    private static long bytes(byte[] start, long[] numbers) {
      long ofNumbers = numbers.length == 0 ? 0 : ARRAY_BYTES + (long) numbers.length * Long.BYTES;
      return ARRAY_BYTES + start.length + Long.BYTES + ofNumbers;
    }

    RangeTombstones whole() {
      if (count == starts.length) {
        return new RangeTombstones(starts, prefixes, sequences, bytes);
      }
      return new RangeTombstones(
          Arrays.copyOf(starts, count),
          Arrays.copyOf(prefixes, count),
          Arrays.copyOf(sequences, count),
          bytes);
    }

    @Nullable RangeTombstones assembled() {
      return count == 0 ? null : whole();
    }
  }
}
