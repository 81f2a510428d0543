package io.sifr.internal.compaction.cut;

import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.OutdatedRunException;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where files begin and end: the door of this package.
 *
 * <ul>
 *   <li>A compaction is cut into parts, so that several threads can work on it ({@link #parts}),
 *   <li>each part into steps, which move SSTs or merge them ({@link #steps}),
 *   <li>what a step writes into SSTs ({@link #ofMerge}),
 *   <li>and a flush into SSTs ({@link #ofFlush}).
 * </ul>
 *
 * <p>A part ends with the largest key of an input SST, or between two streams of keys that others
 * overlap there. So an SST that overlaps no other is never cut by a part and can still be moved.
 */
public final class Cuts {
  private Cuts() {}

  /** Where a flush of about that many keys is cut; all are to be added to it. */
  public static FlushCutter ofFlush(int expectedKeys) {
    return new FlushCutter(expectedKeys);
  }

  /**
   * The steps of the compaction of whole trees into one.
   *
   * @param trees each tree's SSTs in key order, disjoint; trees may be empty
   * @param sizes the sizes of SSTs
   * @return the steps in key order; each input SST is in exactly one of them
   */
  public static List<StepPlanner.Step> steps(
      List<? extends List<? extends SstSlice>> trees, SstSizes sizes) {
    return StepPlanner.plan(trees, sizes);
  }

  /**
   * Where the output of a merge is cut: between stretches of keys, and evenly within each.
   *
   * @param inputs what is merged
   * @param targetBytes of SSTs if there is only one stretch
   * @param entriesPerByte of the inputs
   */
  public static OutputCuts ofMerge(
      List<LogicalTree> inputs, SstSizes sizes, long targetBytes, double entriesPerByte) {
    return OutputCuts.of(KeySamples.of(inputs, sizes), sizes, targetBytes, entriesPerByte);
  }

  /** The same for a merge whose output nobody is going to move: it is cut evenly. */
  public static OutputCuts ofMergeEvenly(SstSizes sizes, long targetBytes, double entriesPerByte) {
    return OutputCuts.even(sizes, targetBytes, entriesPerByte);
  }

  /**
   * The parts of the remainder of a compaction.
   *
   * @param inputs its input trees
   * @param spans its remaining spans, ascending; each becomes at least one part, except those in
   *     which the inputs hold nothing
   * @param most maximum number of parts; exceeded only when there are more spans
   * @param fewestBytes least input bytes of a part, at least 1
   * @return the parts, ascending; together they cover all that the inputs hold in the spans
   */
  public static List<KeySpan> parts(
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

  /**
   * Lets parts that end within a stream of keys end before it ({@link Stretch}). Neither half of
   * the stream may be worth an SST: then each would share one with the stream beside it, and from
   * then on the SSTs of these streams would overlap.
   *
   * @param parts those of {@link #parts}
   * @param inputs the input trees
   */
  public static List<KeySpan> betweenStreams(
      List<KeySpan> parts, List<LogicalTree> inputs, SstSizes sizes) {
    List<KeySpan> moved = new ArrayList<>(parts);
    for (int i = 0; i + 1 < moved.size(); i++) {
      KeySpan part = moved.get(i);
      KeySpan next = moved.get(i + 1);
      byte[] last = part.last();
      if (last != null && Arrays.equals(last, next.above())) {
        byte[] end = endBetweenStreams(part.above(), last, inputs, sizes);
        moved.set(i, new KeySpan(part.above(), end));
        moved.set(i + 1, new KeySpan(end, next.last()));
      }
    }
    return moved;
  }

  /** The end of the last stream that ends in a part; the part's end if there is none. */
  private static byte[] endBetweenStreams(
      byte @Nullable [] above, byte[] last, List<LogicalTree> inputs, SstSizes sizes) {
    List<LogicalTree> atEnd = within(new KeySpan(KeySpan.before(last), last), inputs);
    if (atEnd.size() < 2) {
      return last; // it may be moved as it is
    }
    byte[] first = last;
    for (LogicalTree tree : atEnd) {
      byte[] key = tree.slices().get(0).smallestKey();
      first = Arrays.compareUnsigned(key, first) < 0 ? key : first;
    }
    byte[] from = KeySpan.before(first);
    if (from == null || (above != null && Arrays.compareUnsigned(above, from) > 0)) {
      from = above; // an outlier makes an SST as long as all keys
    }
    List<LogicalTree> before = within(new KeySpan(from, last), inputs);
    byte[] end = last;
    for (Stretch stretch : Stretch.of(samples(before, sizes), sizes)) {
      byte[] key = stretch.end() == null ? null : KeySpan.before(stretch.end());
      if (key != null
          && Arrays.compareUnsigned(key, last) < 0
          && (above == null || Arrays.compareUnsigned(key, above) > 0)) {
        end = key;
      }
    }
    return end;
  }

  /** The trees with no more than the SSTs that overlap a span, and without those that have none. */
  private static List<LogicalTree> within(KeySpan span, List<LogicalTree> trees) {
    return trees.stream()
        .map(tree -> new LogicalTree(tree.id(), tree.slicesIn(span)))
        .filter(tree -> !tree.slices().isEmpty())
        .toList();
  }

  private static KeySamples samples(List<LogicalTree> inputs, SstSizes sizes) {
    try {
      return KeySamples.of(inputs, sizes);
    } catch (OutdatedRunException e) {
      return new KeySamples(); // the database is being dropped, and the merge will notice
    }
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
