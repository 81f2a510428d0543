package io.sifr.internal.compaction;

import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Splits a compaction by key range, so that several threads can work on it.
 *
 * <p>A part ends with the largest key of an input SST. So an SST that overlaps no other is never
 * cut by a part and can still be moved.
 */
public final class Parts {
  private Parts() {}

  /**
   * Splits the remainder of a compaction.
   *
   * @param inputs its input trees
   * @param spans its remaining spans, ascending; each becomes at least one part, except those in
   *     which the inputs hold nothing
   * @param most maximum number of parts; exceeded only when there are more spans
   * @param fewestBytes least input bytes of a part, at least 1
   * @return the parts, ascending; together they cover all that the inputs hold in the spans
   */
  public static List<KeySpan> split(
      List<LogicalTree> inputs, List<KeySpan> spans, int most, long fewestBytes) {
    List<KeySpan> parts = new ArrayList<>();
    int wanted = most;
    for (KeySpan span : spans) {
      List<SstSlice> slices =
          inputs.stream()
              .flatMap(tree -> tree.within(span).slices().stream())
              .sorted(Comparator.comparing(SstSlice::largestKey, Arrays::compareUnsigned))
              .toList();
      if (!slices.isEmpty()) {
        long bytes = slices.stream().mapToLong(SstSlice::bytes).sum();
        int pieces = (int) Math.max(1, Math.min(wanted, bytes / fewestBytes));
        cut(span, slices, bytes, pieces, parts);
        wanted -= pieces;
      }
    }
    return parts;
  }

  /** Cuts a span into pieces of about the same number of bytes. */
  private static void cut(
      KeySpan span, List<SstSlice> slices, long bytes, int pieces, List<KeySpan> parts) {
    byte[] end = slices.get(slices.size() - 1).largestKey();
    byte[] above = span.above();
    long passed = 0;
    int piece = 1;
    for (SstSlice slice : slices) {
      passed += slice.bytes();
      byte[] key = slice.largestKey();
      boolean isAfter = above == null || Arrays.compareUnsigned(key, above) > 0;
      if (passed >= bytes * piece / pieces && isAfter && Arrays.compareUnsigned(key, end) < 0) {
        parts.add(new KeySpan(above, key));
        above = key;
        piece = (int) (passed * pieces / bytes) + 1;
      }
    }
    parts.add(new KeySpan(above, span.last()));
  }
}
