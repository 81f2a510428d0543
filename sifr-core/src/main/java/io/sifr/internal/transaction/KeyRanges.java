package io.sifr.internal.transaction;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of keys, kept as ranges that neither overlap nor touch. Its arrays must not be changed. Not
 * thread-safe.
 */
final class KeyRanges {
  private final TreeMap<byte[], Range> byBegin = new TreeMap<>(Arrays::compareUnsigned);

  /**
   * The keys from one to another.
   *
   * @param to the key after the last one; null: there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Range(byte[] from, byte @Nullable [] to) {
    /** Whether it has a key that is not smaller, or would with its end. */
    private boolean reaches(byte[] key) {
      return to == null || Arrays.compareUnsigned(to, key) >= 0;
    }

    private boolean endsAfter(byte[] key) {
      return to == null || Arrays.compareUnsigned(to, key) > 0;
    }
  }

  /** Adds the keys of a range, if it has any. Returns whether there is one range more. */
  boolean add(byte[] from, byte @Nullable [] to) {
    if (to != null && Arrays.compareUnsigned(from, to) >= 0) {
      return false;
    }
    int before = byBegin.size();
    Range whole = new Range(from, to);
    Map.Entry<byte[], Range> last = byBegin.floorEntry(from);
    if (last != null && last.getValue().reaches(from)) {
      whole = joined(last.getValue(), whole);
    }
    Map.Entry<byte[], Range> next = byBegin.ceilingEntry(whole.from());
    while (next != null && whole.reaches(next.getKey())) {
      whole = joined(whole, next.getValue());
      byBegin.remove(next.getKey());
      next = byBegin.ceilingEntry(whole.from());
    }
    byBegin.put(whole.from(), whole);
    return byBegin.size() > before;
  }

  /** A range and one that begins in it or at its end. */
  private static Range joined(Range first, Range second) {
    byte[] end = first.to();
    byte[] other = second.to();
    if (end == null || other == null) {
      return new Range(first.from(), null);
    }
    return new Range(first.from(), Arrays.compareUnsigned(end, other) >= 0 ? end : other);
  }

  /** The range with a key; null when the key is not in the set. */
  @Nullable Range around(byte[] key) {
    if (byBegin.isEmpty()) {
      return null;
    }
    Map.Entry<byte[], Range> before = byBegin.floorEntry(key);
    return before != null && before.getValue().endsAfter(key) ? before.getValue() : null;
  }

  /** The ranges, ascending. */
  Collection<Range> all() {
    return Collections.unmodifiableCollection(byBegin.values());
  }

  /** Whether there is no key in the set. */
  boolean isEmpty() {
    return byBegin.isEmpty();
  }
}
