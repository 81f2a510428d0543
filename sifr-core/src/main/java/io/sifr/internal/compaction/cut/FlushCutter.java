package io.sifr.internal.compaction.cut;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Cuts a flush where neighbouring keys are far apart, so that one outlier does not make an SST that
 * covers everything.
 *
 * <p>In the papers a flush is one SST (TPDS §4). A compaction moves SSTs that overlap no other, so
 * an ascending load is written only once. But one outlier in a flush, or a second ascending stream,
 * makes its SST overlap all others, and everything is rewritten in every stage. So:
 *
 * <ol>
 *   <li>A gap is <em>large</em> if it would hold a 32nd of a split unit, and 256 entries, were it
 *       as densely filled as the keys beside it ({@link KeyGaps.Scale}). The gaps between random
 *       keys are exponentially distributed, hardly ever more than 20 entries: random keys are never
 *       cut.
 *   <li>A large gap is cut if it <em>stands out</em>: on one of its sides, more than a quarter of
 *       the next 16 gaps are 256 times smaller. That spares the tails of skewed keys, where each
 *       gap is a little larger than the next, and cuts off up to a dozen outliers one by one on
 *       each side of a dense run.
 *   <li>If more than 48 per split unit stand out, the data are like that, such as words or URLs,
 *       and none is cut. An SST takes at least two pages, so this also bounds the cost of the cuts.
 *   <li>A large gap that would hold half a split unit is always cut if that leaves at least a
 *       quarter of a split unit on each side: hosts or tenants that are loaded one after the other.
 *   <li>Pieces that are then longer than the target size ({@link SstSizes}; a split unit in all but
 *       large stores) are cut evenly; longer than half of it, if a small SST was cut off, since
 *       outliers will hit this piece too and cause all of it to be rewritten. With 0.01 % of
 *       outliers that writes 1.58 instead of 1.81 bytes per byte of 10 M entries.
 * </ol>
 *
 * <p>Keys are given in ascending order with {@link #add}, then {@link #finish} is called once. It
 * keeps 24 bytes per key, whatever the key's length, and 32 more while it finishes. Deterministic;
 * not thread-safe.
 */
public final class FlushCutter {

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
      throw new IllegalArgumentException("entryBytes is " + entryBytes + "; allowed: 0 and above");
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
   * The key, above {@code from} and up to {@code to}, before which the bytes are nearest to a mark.
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
