package io.sifr.internal.compaction.cut;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;

/** Chooses among gaps that are worth a cut those that leave no small piece. */
final class GreatGaps {
  private GreatGaps() {}

  /**
   * Adds cuts, at the widest gaps first.
   *
   * @param gaps the keys that end a gap
   * @param widths by key
   * @param bytesBefore the data before each key
   * @param least data that a cut must leave on either side
   * @param cuts the cuts that there are already, with the first key and the number of keys;
   *     receives the others
   */
  static void addWidest(
      int[] gaps, float[] widths, double[] bytesBefore, double least, NavigableSet<Integer> cuts) {
    List<Integer> widestFirst =
        Arrays.stream(gaps)
            .boxed()
            .sorted(Comparator.<Integer>comparingDouble(i -> -widths[i]).thenComparing(i -> i))
            .toList();
    for (int cut : widestFirst) {
      double left = bytesBefore[cut] - bytesBefore[cuts.headSet(cut, true).last()];
      double right = bytesBefore[cuts.tailSet(cut, true).first()] - bytesBefore[cut];
      if (left >= least && right >= least) {
        cuts.add(cut);
      }
    }
  }
}
