package io.sifr.internal.search;

import io.sifr.config.KeyPrefix;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks trees whether they hold any key with a prefix, by the filters of their SSTs, which know the
 * prefixes of their keys if the database says how long these are (prefix Bloom filters: SILK and
 * RocksDB have them; the filters themselves are those of TPDS §4.1).
 *
 * @param prefix how long they are
 * @param hash of that prefix
 */
record PrefixQuestion(KeyPrefix prefix, long hash) {
  /** With more SSTs in its range, a tree holds the prefix for sure. */
  private static final int MOST_ASKED = 2;

  /**
   * The question about a range; null if not all its keys have the same prefix.
   *
   * @param from first key; null for no bound
   * @param to first key after the range; null for no bound
   */
  static @Nullable PrefixQuestion of(
      KeyPrefix prefix, byte @Nullable [] from, byte @Nullable [] to) {
    int length = from == null ? -1 : prefix.lengthIn(from, 0, from.length);
    if (from == null || length < 0 || !endsWithin(from, length, to)) {
      return null;
    }
    return new PrefixQuestion(prefix, KeyHash.ofPrefix(from, 0, length));
  }

  /** Whether no key of a range is larger than all that begin with the same bytes as its first. */
  private static boolean endsWithin(byte[] from, int length, byte @Nullable [] to) {
    byte[] after = Bytes.afterPrefix(from, length);
    return after == null || (to != null && Arrays.compareUnsigned(to, after) <= 0);
  }

  /**
   * Whether a tree holds no entry with the prefix. The caller is in a read epoch.
   *
   * @param first index of its first slice in the range
   * @param last index of the last one
   */
  boolean rulesOut(LogicalTree tree, int first, int last) {
    List<? extends SstSlice> slices = tree.slices();
    if (last - first >= MOST_ASKED || tree.hasRangeTombstones()) {
      return false; // range tombstones hide entries of other trees
    }
    for (int i = first; i <= last; i++) {
      if (slices.get(i).sst().mayHoldPrefix(prefix, hash)) {
        return false;
      }
    }
    return true;
  }
}
