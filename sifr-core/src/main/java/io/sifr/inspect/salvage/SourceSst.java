package io.sifr.inspect.salvage;

import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.util.Key;
import org.jspecify.annotations.Nullable;

/**
 * An SST to salvage entries from.
 *
 * @param number number in its name
 * @param databaseId the database that holds it; 0 when unknown
 * @param meta its metadata in the manifest; null when unknown
 * @param bounds the keys that are needed from it; all of them, unless a compaction has processed
 *     some
 * @param isNamed whether the manifest names it, so that it is certainly needed
 */
record SourceSst(
    long number,
    int databaseId,
    @Nullable SstMeta meta,
    ImmutableRangeSet<Key> bounds,
    boolean isNamed) {
  static final ImmutableRangeSet<Key> ALL_KEYS = ImmutableRangeSet.of(Range.all());

  /** An SST known only from the directory. */
  static SourceSst unnamed(long number) {
    return new SourceSst(number, 0, null, ALL_KEYS, false);
  }

  /** Whether entries of that key are needed. */
  boolean takes(byte[] array, int offset, int length) {
    return bounds.contains(Key.copyOf(array, offset, length));
  }
}
