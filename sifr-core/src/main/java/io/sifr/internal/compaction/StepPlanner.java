package io.sifr.internal.compaction;

import io.sifr.internal.sst.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Decides which SSTs of a compaction are moved and which are rewritten.
 *
 * <p>An SST that overlaps no SST of another input tree is moved by metadata alone (TPDS §4, §4.3);
 * SSTs that overlap, directly or through others, are merged together. Two SSTs that share one key
 * overlap. The remaining question is what to do with <em>small</em> SSTs, or runs of overlapping
 * SSTs, of less than a quarter of a <em>regular</em> SST: one of a split unit or, if that is less,
 * of half a write buffer, which is about what a flush of ascending keys writes. If each were moved,
 * 100 ascending streams would fill the forest with thousands of tiny SSTs (15,000 instead of 580 at
 * 10 M entries). If each were merged with its neighbour, two outliers far apart would become one
 * SST that overlaps everything written between them later, and causes it to be rewritten. So:
 *
 * <ol>
 *   <li>A small run is merged with its neighbour if the two are close: if the gap were as densely
 *       filled as the keys beside it ({@link GapScale}), it would hold less than a 32nd of a split
 *       unit. {@link FlushCutter} cuts by the same measure, so that a cut is not undone here. Of
 *       two close neighbours, the one that costs less to rewrite is chosen.
 *   <li>A small run with wide gaps on both sides is left alone as long as the output tree has at
 *       most 96 SSTs and four more per regular SST of data, which only small SSTs can exceed. With
 *       16 instead of 96, 0.01 % of outliers and 100 streams write 18 % more; with two instead of
 *       four, four ascending streams, whose pieces are a third of a split unit, are rewritten once
 *       (1.21 instead of 0.89 bytes written per byte). Beyond that, neighbours that are both small
 *       are merged if they fit into one SST, smallest gap first, and then neighbours that are
 *       close.
 *   <li>With small write buffers regular SSTs are small, and an ascending load makes no others.
 *       They are moved like all others until the output tree has more than four SSTs per split unit
 *       of data plus 1024. Beyond that, close neighbours are merged up to a split unit: each byte
 *       is written at most once more, and the number of SSTs stays bounded.
 * </ol>
 *
 * <p>Pure and deterministic. O(n log n) for n SSTs.
 */
public final class StepPlanner {

  private static final int SMALL_PER_REGULAR_SST = 4;
  private static final int WIDE_PER_SPLIT_UNIT = 32;
  private static final int SSTS_PER_UNIT = 4;
  private static final int SSTS_OF_A_SMALL_TREE = 96;
  private static final int SMALL_SSTS_OF_A_TREE = 1024;
  private static final int REGULAR_SSTS_PER_WRITE_BUFFER = 2;

  private final long splitUnitBytes;
  private final long regularBytes;

  private StepPlanner(long splitUnitBytes, long writeBufferBytes) {
    this.splitUnitBytes = splitUnitBytes;
    this.regularBytes =
        Math.max(1, Math.min(splitUnitBytes, writeBufferBytes / REGULAR_SSTS_PER_WRITE_BUFFER));
  }

  /**
   * Plans the compaction of whole trees into one.
   *
   * @param trees each tree's SSTs in key order, disjoint; trees may be empty
   * @param splitUnitBytes target size of an SST, at least 1
   * @param writeBufferBytes the capacity of the write buffers that flushes write
   * @return the steps in key order; each input SST is in exactly one of them
   * @throws IllegalArgumentException if the SSTs of a tree are not disjoint and in order
   */
  public static List<Step> plan(
      List<? extends List<? extends SstSlice>> trees, long splitUnitBytes, long writeBufferBytes) {
    EvenSplit.checkSplitUnit(splitUnitBytes);
    List<OverlapRun> overlapping = overlapping(byKey(trees));
    if (overlapping.isEmpty()) {
      return List.of();
    }
    StepPlanner planner = new StepPlanner(splitUnitBytes, writeBufferBytes);
    List<Group> groups = planner.joinSmall(overlapping, gapsBefore(overlapping));
    return planner.steps(overlapping, planner.joinUntilFew(groups));
  }

  /** SSTs that overlap one another, directly or through others of them. */
  private static final class OverlapRun {
    final List<SstSlice> ssts = new ArrayList<>(1);
    byte[] largestKey;
    long bytes;

    OverlapRun(SstSlice first) {
      largestKey = first.largestKey();
      add(first);
    }

    void add(SstSlice sst) {
      ssts.add(sst);
      bytes += sst.bytes();
      if (Arrays.compareUnsigned(sst.largestKey(), largestKey) > 0) {
        largestKey = sst.largestKey();
      }
    }

    boolean overlaps(SstSlice next) {
      return Arrays.compareUnsigned(next.smallestKey(), largestKey) <= 0;
    }
  }

  /** Neighbouring runs that become one step. */
  private static final class Group {
    final double gapBefore;
    int runs;
    long bytes;
    boolean rewritten;

    Group(double gapBefore, long bytes, boolean rewritten) {
      this.gapBefore = gapBefore;
      this.runs = 1;
      this.bytes = bytes;
      this.rewritten = rewritten;
    }

    void absorb(Group next) {
      runs += next.runs;
      bytes += next.bytes;
      rewritten = true;
    }

    long outputs(long splitUnitBytes) {
      return rewritten ? EvenSplit.pieces(bytes, splitUnitBytes) : 1;
    }

    /** Bytes that are rewritten only because something joins this group. */
    long rewriteBytes() {
      return rewritten ? 0 : bytes;
    }
  }

  private static List<SstSlice> byKey(List<? extends List<? extends SstSlice>> trees) {
    List<SstSlice> ssts = new ArrayList<>();
    for (int tree = 0; tree < trees.size(); tree++) {
      List<? extends SstSlice> ordered = trees.get(tree);
      for (int i = 0; i < ordered.size(); i++) {
        SstSlice sst = ordered.get(i);
        byte[] above = i == 0 ? sst.largestKey() : ordered.get(i - 1).largestKey();
        boolean disjoint = i == 0 || Arrays.compareUnsigned(above, sst.smallestKey()) < 0;
        if (!disjoint || Arrays.compareUnsigned(sst.smallestKey(), sst.largestKey()) > 0) {
          throw new IllegalArgumentException(
              "SST " + i + " of input tree " + tree + " is not above the SST before it: " + sst);
        }
        ssts.add(sst);
      }
    }
    // Stable, so that equal keys stay in the order of the trees; and fast on a few sorted runs.
    ssts.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
    return ssts;
  }

  private static List<OverlapRun> overlapping(List<SstSlice> byKey) {
    List<OverlapRun> runs = new ArrayList<>();
    for (SstSlice sst : byKey) {
      int last = runs.size() - 1;
      if (last >= 0 && runs.get(last).overlaps(sst)) {
        runs.get(last).add(sst);
      } else {
        runs.add(new OverlapRun(sst));
      }
    }
    return runs;
  }

  private static double[] gapsBefore(List<OverlapRun> runs) {
    KeyGaps keys = new KeyGaps(2 * runs.size());
    for (OverlapRun run : runs) {
      byte[] smallest = run.ssts.get(0).smallestKey();
      keys.add(smallest, 0, smallest.length, 0);
      keys.add(run.largestKey, 0, run.largestKey.length, (float) run.bytes);
    }
    GapScale scale = new GapScale(keys, 0);
    double[] gaps = new double[runs.size()];
    gaps[0] = Double.POSITIVE_INFINITY;
    for (int i = 1; i < gaps.length; i++) {
      gaps[i] = scale.gapBytes(2 * i);
    }
    return gaps;
  }

  private List<Group> joinSmall(List<OverlapRun> runs, double[] gaps) {
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < gaps.length; i++) {
      Group next = group(runs, gaps, i);
      Group last = groups.isEmpty() ? next : groups.get(groups.size() - 1);
      if (!groups.isEmpty()
          && isClose(next)
          && (isSmall(last) || (isSmall(next) && !isBetter(runs, gaps, i + 1, last)))) {
        last.absorb(next);
      } else {
        groups.add(next);
      }
    }
    return groups;
  }

  private static Group group(List<OverlapRun> runs, double[] gaps, int i) {
    OverlapRun run = runs.get(i);
    return new Group(gaps[i], run.bytes, run.ssts.size() > 1);
  }

  /** Whether a small run costs less to join to run {@code right} than to the group before it. */
  private boolean isBetter(List<OverlapRun> runs, double[] gaps, int right, Group left) {
    if (right == gaps.length) {
      return false;
    }
    Group group = group(runs, gaps, right);
    return isClose(group) && group.rewriteBytes() < left.rewriteBytes();
  }

  private boolean isSmall(Group group) {
    return group.bytes < regularBytes / SMALL_PER_REGULAR_SST;
  }

  /** Whether a group is close to the one before it. */
  private boolean isClose(Group group) {
    return group.gapBefore < (double) splitUnitBytes / WIDE_PER_SPLIT_UNIT;
  }

  private List<Group> joinUntilFew(List<Group> groups) {
    long outputs = 0;
    long bytes = 0;
    for (Group group : groups) {
      outputs += group.outputs(splitUnitBytes);
      bytes += group.bytes;
    }
    long excess = outputs - few(bytes);
    if (excess <= 0) {
      return groups;
    }
    List<Integer> small = new ArrayList<>();
    List<Integer> close = new ArrayList<>();
    for (int i = 1; i < groups.size(); i++) {
      if (isSmall(groups.get(i - 1)) && isSmall(groups.get(i))) {
        small.add(i);
      } else if (isClose(groups.get(i))) {
        close.add(i);
      }
    }
    Comparator<Integer> smallestGap = Comparator.comparingDouble(i -> groups.get(i).gapBefore);
    small.sort(smallestGap);
    close.sort(smallestGap);
    List<Integer> cheapestFirst = new ArrayList<>(small);
    cheapestFirst.addAll(close);
    Joins joins = new Joins(groups.size());
    for (int i : cheapestFirst) {
      if (excess <= 0) {
        break;
      }
      Group left = groups.get(joins.first(i - 1));
      Group right = groups.get(i);
      if (left.bytes + right.bytes <= splitUnitBytes) {
        excess -= left.outputs(splitUnitBytes) + right.outputs(splitUnitBytes) - 1;
        left.absorb(right);
        joins.join(i);
      }
    }
    return joins.firsts(groups);
  }

  /** How many SSTs a tree with that much data may have before small ones are joined. */
  private long few(long bytes) {
    return Math.min(
        SSTS_PER_UNIT * (bytes / regularBytes + 1) + SSTS_OF_A_SMALL_TREE,
        SSTS_PER_UNIT * (bytes / splitUnitBytes + 1) + SMALL_SSTS_OF_A_TREE);
  }

  /** Which groups have been absorbed by the one before them; a union-find along a line. */
  private static final class Joins {
    private final int[] parent;

    Joins(int groups) {
      parent = new int[groups];
      Arrays.setAll(parent, i -> i);
    }

    void join(int group) {
      parent[group] = first(group - 1);
    }

    int first(int group) {
      int first = group;
      while (parent[first] != first) {
        parent[first] = parent[parent[first]];
        first = parent[first];
      }
      return first;
    }

    List<Group> firsts(List<Group> groups) {
      List<Group> firsts = new ArrayList<>();
      for (int i = 0; i < parent.length; i++) {
        if (parent[i] == i) {
          firsts.add(groups.get(i));
        }
      }
      return firsts;
    }
  }

  private List<Step> steps(List<OverlapRun> runs, List<Group> groups) {
    List<Step> steps = new ArrayList<>(groups.size());
    int run = 0;
    for (Group group : groups) {
      List<SstSlice> ssts = new ArrayList<>();
      for (int end = run + group.runs; run < end; run++) {
        ssts.addAll(runs.get(run).ssts);
      }
      if (ssts.size() == 1) {
        steps.add(new Step.Move(ssts.get(0)));
      } else {
        long pieces = EvenSplit.pieces(group.bytes, splitUnitBytes);
        steps.add(new Step.Rewrite(ssts, (group.bytes + pieces - 1) / pieces));
      }
    }
    return List.copyOf(steps);
  }
}
