package io.sifr.internal.compaction.cut;

import io.sifr.internal.compaction.cut.Cuts.FlushCutter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Chooses at which large gaps between keys is cut. How large a gap must be depends on what is cut:
 * the rules for a flush are those of {@link FlushCutter}, those for a compaction of {@link
 * Stretch}.
 */
final class LargeGaps {

  // 100 streams in a flush of 34,000 entries lie 300 to 3000 entries apart by this measure.
  private static final int LARGE_PER_SPLIT_UNIT = 32;
  private static final int LARGE_ENTRIES = 256;

  // With 64, outliers, words and 100 streams write the same within 1 %; with 512, streams write 8 %
  // and outliers 2 % more.
  private static final int TIMES_NEIGHBOURS = 256;
  private static final int NEIGHBOURS = 16;
  private static final int NEIGHBOURS_THAT_DECIDE = 4;

  private static final int SSTS_PER_SPLIT_UNIT = 48;
  private static final int SURELY_CUT_PER_SPLIT_UNIT = 2;
  private static final int SMALL_PER_SPLIT_UNIT = 4;

  private final KeyGaps keys;
  private final double[] bytesBefore;
  private final long splitUnitBytes;

  LargeGaps(KeyGaps keys, double[] bytesBefore, long splitUnitBytes) {
    this.keys = keys;
    this.bytesBefore = bytesBefore;
    this.splitUnitBytes = splitUnitBytes;
  }

  /** The keys before which to cut, ascending. */
  int[] choose() {
    double bytes = bytesBefore[keys.size()];
    double entryBytes = bytes / keys.size();
    double large =
        Math.max((double) splitUnitBytes / LARGE_PER_SPLIT_UNIT, LARGE_ENTRIES * entryBytes);
    KeyGaps.Scale scale = new KeyGaps.Scale(keys, entryBytes);
    int[] candidates =
        IntStream.range(1, keys.size())
            .filter(i -> scale.gapBytesAtMost(i) >= large && scale.gapBytes(i) >= large)
            .toArray();
    if (candidates.length == 0) {
      return candidates;
    }
    float[] gaps = new float[keys.size()];
    for (int i = 1; i < gaps.length; i++) {
      gaps[i] = (float) scale.gapBytes(i);
    }
    int[] standing =
        Arrays.stream(candidates)
            .filter(i -> standsOut(gaps, i, -1) || standsOut(gaps, i, 1))
            .toArray();
    TreeSet<Integer> cuts = new TreeSet<>(List.of(0, keys.size()));
    if (standing.length <= bytes * SSTS_PER_SPLIT_UNIT / splitUnitBytes) {
      Arrays.stream(standing).forEach(cuts::add);
    }
    int[] largest =
        Arrays.stream(candidates)
            .filter(i -> gaps[i] >= (double) splitUnitBytes / SURELY_CUT_PER_SPLIT_UNIT)
            .toArray();
    addLargest(largest, gaps, bytesBefore, (double) splitUnitBytes / SMALL_PER_SPLIT_UNIT, cuts);
    return cuts.stream().mapToInt(cut -> cut).filter(cut -> cut > 0 && cut < keys.size()).toArray();
  }

  /** Whether enough of the next gaps in a direction are far smaller than gap {@code gap}. */
  private static boolean standsOut(float[] gaps, int gap, int direction) {
    int neighbours = Math.min(NEIGHBOURS, direction < 0 ? gap - 1 : gaps.length - 1 - gap);
    int smaller = 0;
    for (int k = 1; k <= neighbours; k++) {
      if (gaps[gap + direction * k] * TIMES_NEIGHBOURS <= gaps[gap]) {
        smaller++;
      }
    }
    return smaller > neighbours / NEIGHBOURS_THAT_DECIDE;
  }

  /**
   * Adds cuts, at the largest gaps first.
   *
   * @param gaps the keys that end a gap
   * @param sizes of the gaps, by key
   * @param bytesBefore the data before each key
   * @param least data that a cut must leave on either side
   * @param cuts the cuts that there are already, with the first key and the number of keys;
   *     receives the others
   */
  static void addLargest(
      int[] gaps, float[] sizes, double[] bytesBefore, double least, NavigableSet<Integer> cuts) {
    List<Integer> largestFirst =
        Arrays.stream(gaps)
            .boxed()
            .sorted(Comparator.<Integer>comparingDouble(i -> -sizes[i]).thenComparing(i -> i))
            .toList();
    for (int cut : largestFirst) {
      double left = bytesBefore[cut] - bytesBefore[cuts.headSet(cut, true).last()];
      double right = bytesBefore[cuts.tailSet(cut, true).first()] - bytesBefore[cut];
      if (left >= least && right >= least) {
        cuts.add(cut);
      }
    }
  }
}
