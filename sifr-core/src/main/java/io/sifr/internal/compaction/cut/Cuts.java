package io.sifr.internal.compaction.cut;

import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cuts between files: the door of this package.
 *
 * <ul>
 *   <li>A compaction is cut into parts, so that several threads can work on it ({@link #parts}),
 *   <li>each part into steps, which move SSTs or compaction them ({@link #steps}),
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
   * Where the output of a compaction is cut: between stretches of keys, and evenly within each.
   *
   * @param inputs what is compacted
   * @param targetBytes of SSTs if there is only one key range
   * @param entriesPerByte of the inputs
   */
  public static OutputCuts ofMerge(
      List<LogicalTree> inputs, SstSizes sizes, long targetBytes, double entriesPerByte) {
    return OutputCuts.of(KeySamples.of(inputs, sizes), sizes, targetBytes, entriesPerByte);
  }

  /** The same for a compaction whose output nobody is going to move: it is cut evenly. */
  public static OutputCuts ofMergeEvenly(SstSizes sizes, long targetBytes, double entriesPerByte) {
    return OutputCuts.even(sizes, targetBytes, entriesPerByte);
  }

  /**
   * The parts of the remainder of a compaction.
   *
   * @param inputs its input trees
   * @param spans its remaining key ranges, ascending; each becomes at least one part, except those
   *     in which the inputs hold nothing
   * @param most maximum number of parts; exceeded only when there are more key ranges
   * @param fewestBytes least input bytes of a part, at least 1
   * @return the parts, ascending; together they cover all that the inputs hold in the key ranges
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

  /**
   * The trees with no more than the SSTs that overlap a key range, and without those that have
   * none.
   */
  private static List<LogicalTree> within(KeySpan span, List<LogicalTree> trees) {
    return trees.stream()
        .map(tree -> new LogicalTree(tree.id(), tree.slicesIn(span)))
        .filter(tree -> !tree.slices().isEmpty())
        .toList();
  }

  private static KeySamples samples(List<LogicalTree> inputs, SstSizes sizes) {
    try {
      return KeySamples.of(inputs, sizes);
    } catch (OutdatedException e) {
      return new KeySamples(); // the database is being dropped, and the compaction will notice
    }
  }

  /** Cuts a key range into pieces of about the same number of bytes. */
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

  /**
   * Decides, key by key, where a compaction cuts its output into SSTs: between two {@link
   * Stretch}es, and evenly within each. Used by one thread.
   */
  public static final class OutputCuts {
    /** The last SST of the merge has at least the target bytes divided by this. */
    private static final int SMALLEST_LAST_SHARE = 4;

    /**
     * The last SST of a stretch has at most the target bytes times this, if estimates were wrong.
     */
    private static final int LARGEST_LAST_SHARE = 2;

    private final List<Stretch> stretches;
    private final SstSizes sizes;
    private final double entriesPerByte;
    private int current;
    private long targetBytes;

    /** SSTs that are still to be cut off in a stretch other than the last. */
    private long left;

    private OutputCuts(
        List<Stretch> stretches, SstSizes sizes, long targetBytes, double entriesPerByte) {
      this.stretches = stretches;
      this.sizes = sizes;
      this.entriesPerByte = entriesPerByte;
      this.targetBytes = targetBytes;
      if (stretches.size() > 1) {
        begin();
      }
    }

    /**
     * Cuts evenly.
     *
     * @param entriesPerByte of the inputs
     */
    public static OutputCuts even(SstSizes sizes, long targetBytes, double entriesPerByte) {
      return new OutputCuts(List.of(new Stretch(null, 0)), sizes, targetBytes, entriesPerByte);
    }

    /**
     * Cuts between stretches, too.
     *
     * @param samples how the data of the inputs are spread
     * @param targetBytes of SSTs if there is only one stretch
     * @param entriesPerByte of the inputs
     */
    public static OutputCuts of(
        KeySamples samples, SstSizes sizes, long targetBytes, double entriesPerByte) {
      return new OutputCuts(Stretch.of(samples, sizes), sizes, targetBytes, entriesPerByte);
    }

    private void begin() {
      long bytes = stretches.get(current).bytes();
      long pieces = sizes.pieces(bytes);
      targetBytes = (bytes + pieces - 1) / pieces;
      left = pieces - 1;
    }

    /**
     * Whether to cut before a key that is larger than those of the calls before.
     *
     * @param bytes what the SST has that is being written; 0 if there is none
     * @param unread entries of the inputs that follow, the key's included
     */
    public boolean isBefore(byte[] key, int offset, int length, long bytes, long unread) {
      boolean crossed = false;
      while (isAcross(stretches.get(current).end(), key, offset, length)) {
        current++;
        crossed = true;
      }
      if (crossed) {
        begin();
        // What is too small for an SST, since most of it was overwritten, becomes part of the next.
        return bytes >= sizes.worthBytes() / 2;
      }
      boolean isFull = bytes > 0 && bytes >= targetBytes && mayCut(bytes, unread);
      left -= isFull ? 1 : 0;
      return isFull;
    }

    private static boolean isAcross(byte @Nullable [] end, byte[] key, int offset, int length) {
      return end != null && Bytes.compare(end, 0, end.length, key, offset, length) <= 0;
    }

    /** Whether enough follows for an SST of its own. */
    private boolean mayCut(long bytes, long unread) {
      return stretches.get(current).end() == null
          ? unread >= (long) (entriesPerByte * targetBytes / SMALLEST_LAST_SHARE)
          : left > 0 || bytes >= LARGEST_LAST_SHARE * targetBytes;
    }
  }

  /**
   * Cuts a flush where neighbouring keys are far apart, so that one outlier does not make an SST
   * that spans everything.
   *
   * <p>In the papers a flush is one SST (TPDS §4). A compaction moves SSTs that overlap no other,
   * so an ascending load is written only once. But one outlier in a flush, or a second ascending
   * stream, makes its SST overlap all others, and everything is rewritten in every stage. So:
   *
   * <ol>
   *   <li>A gap is <em>large</em> if it would hold a 32nd of a split unit, and 256 entries, were it
   *       as densely filled as the keys beside it ({@link KeyGaps.Scale}). The gaps between random
   *       keys are exponentially distributed, hardly ever more than 20 entries: random keys are
   *       never cut.
   *   <li>A large gap is cut if it <em>stands out</em>: on one of its sides, more than a quarter of
   *       the next 16 gaps are 256 times smaller. That spares the tails of skewed keys, where each
   *       gap is a little larger than the next, and cuts off up to a dozen outliers one by one on
   *       each side of a dense run.
   *   <li>If more than 48 per split unit stand out, the data are like that, such as words or URLs,
   *       and none is cut. An SST takes at least two pages, so this also bounds the cost of the
   *       cuts.
   *   <li>A large gap that would hold half a split unit is always cut if that leaves at least a
   *       quarter of a split unit on each side: hosts or tenants that are loaded one after the
   *       other.
   *   <li>Pieces that are then longer than the target size ({@link SstSizes}; a split unit in all
   *       but large stores) are cut evenly; longer than half of it, if a small SST was cut off,
   *       since outliers will hit this piece too and cause all of it to be rewritten. With 0.01 %
   *       of outliers that writes 1.58 instead of 1.81 bytes per byte of 10 M entries.
   * </ol>
   *
   * <p>Keys are given in ascending order with {@link #add}, then {@link #finish} is called once. It
   * keeps 24 bytes per key, whatever the key's length, and 32 more while it finishes.
   * Deterministic; not thread-safe.
   */
  public static final class FlushCutter {

    private final KeyGaps keys;

    /**
     * Creates a cutter.
     *
     * @param expectedKeys approximate number of keys to be added
     */
    public FlushCutter(int expectedKeys) {
      keys = new KeyGaps(expectedKeys);
    }

    /**
     * Adds the next key.
     *
     * @param array holds the key; may be reused after the call
     * @param entryBytes the size of all versions of the key that will be written, at least 0
     * @throws IllegalArgumentException if the key is not above the one before, or the size is
     *     negative
     */
    public void add(byte[] array, int offset, int length, long entryBytes) {
      if (entryBytes < 0) {
        throw new IllegalArgumentException(
            "entryBytes is " + entryBytes + "; allowed: 0 and above");
      }
      if (keys.add(array, offset, length, (float) entryBytes) >= 0) {
        throw new IllegalArgumentException(
            "key " + (keys.size() - 1) + " of the flush is not above the key before it");
      }
    }

    /**
     * Decides where to cut the flush into SSTs.
     *
     * @param sizes the sizes of SSTs
     * @return ascending, the index among the keys of the first key after each cut, at least 1
     */
    public int[] finish(SstSizes sizes) {
      if (keys.size() < 2) {
        return new int[0];
      }
      double[] bytesBefore = new double[keys.size() + 1];
      for (int i = 0; i < keys.size(); i++) {
        bytesBefore[i + 1] = bytesBefore[i] + keys.weight(i);
      }
      int[] atGaps = new LargeGaps(keys, bytesBefore, sizes.splitUnitBytes()).choose();
      return splitEvenly(atGaps, bytesBefore, sizes);
    }

    private static int[] splitEvenly(int[] atGaps, double[] bytesBefore, SstSizes sizes) {
      int keys = bytesBefore.length - 1;
      long target = sizes.flushBytes();
      long unit = leavesSmallSst(atGaps, bytesBefore, sizes.splitUnitBytes()) ? target / 2 : target;
      IntStream.Builder cuts = IntStream.builder();
      for (int i = 0; i <= atGaps.length; i++) {
        int from = i == 0 ? 0 : atGaps[i - 1];
        int to = i == atGaps.length ? keys : atGaps[i];
        if (i > 0) {
          cuts.add(from);
        }
        double bytes = bytesBefore[to] - bytesBefore[from];
        long pieces = SstSizes.pieces((long) bytes, Math.max(1, unit));
        int last = from;
        for (long piece = 1; piece < pieces; piece++) {
          int cut = nearest(bytesBefore, from, to, bytesBefore[from] + bytes * piece / pieces);
          // A value larger than that covers several marks.
          if (cut > last && cut < to) {
            cuts.add(cut);
            last = cut;
          }
          if (cut >= to) {
            break;
          }
        }
      }
      return cuts.build().toArray();
    }

    private static boolean leavesSmallSst(int[] atGaps, double[] bytesBefore, long splitUnitBytes) {
      for (int i = 0; i <= atGaps.length && atGaps.length > 0; i++) {
        int from = i == 0 ? 0 : atGaps[i - 1];
        int to = i == atGaps.length ? bytesBefore.length - 1 : atGaps[i];
        if (bytesBefore[to] - bytesBefore[from] < splitUnitBytes / 4.0) {
          return true;
        }
      }
      return false;
    }

    /**
     * The key, above {@code from} and up to {@code to}, before which the bytes are nearest to a
     * mark.
     */
    private static int nearest(double[] bytesBefore, int from, int to, double mark) {
      int found = Arrays.binarySearch(bytesBefore, from, to + 1, mark);
      int above = found >= 0 ? found : -found - 1;
      if (above > to) {
        return to;
      }
      return above > from && mark - bytesBefore[above - 1] < bytesBefore[above] - mark
          ? above - 1
          : above;
    }
  }
}
