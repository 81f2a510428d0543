package io.sifr.internal.forest;

import com.google.common.collect.Range;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.format.EditNumbers;
import io.sifr.internal.format.EditReader;
import io.sifr.internal.format.EditWriter;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A range of the key space.
 *
 * @param above the key after which it begins, exclusive; null: it begins with the first key of all
 * @param last its last key, inclusive; null: it has no end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record KeySpan(byte @Nullable [] above, byte @Nullable [] last) {
  /** The whole key space. */
  public static final KeySpan ALL = new KeySpan(null, null);

  private static final int HAS_LOWER_BOUND = 1;
  private static final int HAS_UPPER_BOUND = 2;

  /**
   * @throws IllegalArgumentException when no key can lie in it
   */
  public KeySpan(byte @Nullable [] above, byte @Nullable [] last) {
    if (above != null && last != null && Arrays.compareUnsigned(above, last) >= 0) {
      throw new IllegalArgumentException("a key range ends before it begins");
    }
    this.above = above;
    this.last = last;
  }

  /**
   * A key after which a key range may begin that is to begin with another key: the largest before
   * it, or one so close that hardly any key lies between them; null if there is none before it.
   */
  public static byte @Nullable [] before(byte[] key) {
    int last = key.length - 1;
    if (last < 0) {
      return null;
    } else if (key[last] == 0) {
      return Arrays.copyOf(key, last);
    }
    byte[] before =
        Arrays.copyOf(key, Math.min(key.length + Long.BYTES, EntryLimits.MAX_KEY_BYTES));
    before[last]--;
    Arrays.fill(before, key.length, before.length, (byte) -1);
    return before;
  }

  /**
   * About the keys from one, inclusive, to another after it, exclusive: as {@link #before} says.
   */
  public static KeySpan between(byte @Nullable [] from, byte @Nullable [] to) {
    byte[] above = from == null ? null : before(from);
    byte[] last = to == null ? null : before(to);
    boolean isTooClose = above != null && last != null && Arrays.compareUnsigned(above, last) >= 0;
    return new KeySpan(above, isTooClose ? to : last);
  }

  /** The key range of all keys up to {@code last}. */
  public static KeySpan upTo(byte[] last) {
    return new KeySpan(null, last);
  }

  /** The same keys, for sets of ranges. */
  public Range<Key> range() {
    if (above == null) {
      return last == null ? Range.all() : Range.atMost(Key.of(last));
    }
    Key bound = Key.of(above);
    return last == null ? Range.greaterThan(bound) : Range.openClosed(bound, Key.of(last));
  }

  /** Writes it to an edit. */
  void encode(EditWriter out) {
    out.unsigned((above == null ? 0 : HAS_LOWER_BOUND) | (last == null ? 0 : HAS_UPPER_BOUND));
    if (above != null) {
      out.key(above);
    }
    if (last != null) {
      out.key(last);
    }
  }

  /** Reads what {@link #encode} wrote. */
  static KeySpan decode(EditReader in) {
    int both = HAS_LOWER_BOUND | HAS_UPPER_BOUND;
    long bounds = EditNumbers.atMost("the bounds", in.unsigned(), both);
    byte[] above = (bounds & HAS_LOWER_BOUND) == 0 ? null : in.key();
    byte[] last = (bounds & HAS_UPPER_BOUND) == 0 ? null : in.key();
    return new KeySpan(above, last);
  }

  /** Whether a key from {@code smallest} to {@code largest} may lie in it. */
  public boolean overlaps(byte[] smallest, byte[] largest) {
    return beginsBefore(largest) && (last == null || Arrays.compareUnsigned(smallest, last) <= 0);
  }

  /** Whether all keys from {@code smallest} to {@code largest} lie in it. */
  public boolean contains(byte[] smallest, byte[] largest) {
    return beginsBefore(smallest) && (last == null || Arrays.compareUnsigned(largest, last) <= 0);
  }

  /** Whether every key of another key range lies in it. */
  public boolean contains(KeySpan other) {
    return and(other)
        .filter(
            both -> Arrays.equals(both.above, other.above) && Arrays.equals(both.last, other.last))
        .isPresent();
  }

  /** The parts left without a key range that it contains, ascending. */
  List<KeySpan> without(KeySpan part) {
    List<KeySpan> left = new ArrayList<>(2);
    if (!Arrays.equals(above, part.above)) {
      left.add(new KeySpan(above, part.above));
    }
    if (!Arrays.equals(last, part.last)) {
      left.add(new KeySpan(part.last, last));
    }
    return left;
  }

  /** Whether a key range of the one list has keys in common with one of the other. */
  public static boolean overlap(List<KeySpan> some, List<KeySpan> others) {
    return some.stream()
        .anyMatch(span -> others.stream().anyMatch(other -> span.and(other).isPresent()));
  }

  /** The part of a slice that lies in it, which must not be empty. */
  public SstSlice clip(SstSlice slice) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    if (contains(smallest, largest)) {
      return slice;
    }
    if (above != null && !beginsBefore(smallest)) {
      smallest = Bytes.successor(above);
    }
    if (last != null && Arrays.compareUnsigned(largest, last) > 0) {
      largest = last;
    }
    return new ClippedSst(slice.sst(), smallest, largest);
  }

  /**
   * The key range that {@link #clip}s an SST to a slice: one that begins later than its SST begins
   * with the successor of a key.
   */
  public static KeySpan of(SstSlice slice) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    return new KeySpan(
        Arrays.equals(smallest, slice.sst().smallestKey())
            ? null
            : Arrays.copyOf(smallest, smallest.length - 1),
        Arrays.equals(largest, slice.sst().largestKey()) ? null : largest);
  }

  private boolean beginsBefore(byte[] key) {
    return above == null || Arrays.compareUnsigned(key, above) > 0;
  }

  /** The intersection with another key range, if there is one. */
  public Optional<KeySpan> and(KeySpan other) {
    byte[] begin = above;
    if (begin == null || (other.above != null && Arrays.compareUnsigned(other.above, begin) > 0)) {
      begin = other.above;
    }
    byte[] end = last;
    if (end == null || (other.last != null && Arrays.compareUnsigned(other.last, end) < 0)) {
      end = other.last;
    }
    return begin != null && end != null && Arrays.compareUnsigned(begin, end) >= 0
        ? Optional.empty()
        : Optional.of(new KeySpan(begin, end));
  }
}
