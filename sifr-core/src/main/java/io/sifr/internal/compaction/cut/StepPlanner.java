package io.sifr.internal.compaction.cut;

import io.sifr.internal.compaction.cut.Cuts.FlushCutter;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Decides which SSTs of a compaction are moved and which are rewritten.
 *
 * <p>An SST that overlaps no SST of another input tree is moved by metadata alone (TPDS §4, §4.3);
 * SSTs that overlap, directly or through others, are compacted together. Two SSTs that share one
 * key overlap. The remaining question is what to do with <em>small</em> SSTs, or runs of
 * overlapping SSTs, of less than a quarter of a <em>regular</em> SST: one of a split unit or, if
 * that is less, of half a write buffer, which is about what a flush of ascending keys writes. If
 * each were moved, 100 ascending streams would fill the forest with thousands of tiny SSTs (15,000
 * instead of 580 at 10 M entries). If each were compacted with its neighbour, two outliers far
 * apart would become one SST that overlaps everything written between them later, and causes it to
 * be rewritten. So:
 *
 * <ol>
 *   <li>A small run is compacted with its neighbour if the two are close: if the gap were as
 *       densely filled as the keys beside it ({@link KeyGaps.Scale}), it would hold less than a
 *       32nd of a split unit. {@link FlushCutter} cuts by the same measure, so that a cut is not
 *       undone here. Of two close neighbours, the one that costs less to rewrite is chosen.
 *   <li>A small run with large gaps on both sides is left alone as long as the output tree has at
 *       most 96 SSTs and four more per regular SST of data, which only small SSTs can exceed. With
 *       16 instead of 96, 0.01 % of outliers and 100 streams write 18 % more; with two instead of
 *       four, four ascending streams, whose pieces are a third of a split unit, are rewritten once
 *       (1.21 instead of 0.89 bytes written per byte). Beyond that, neighbours that are both small
 *       are compacted if they fit into one SST, smallest gap first, and then neighbours that are
 *       close.
 *   <li>With small write buffers regular SSTs are small, and an ascending load makes no others.
 *       They are moved like all others until the output tree has more than four SSTs per split unit
 *       of data plus 1024. Beyond that, close neighbours are compacted up to a split unit: each
 *       byte is written at most once more, and the number of SSTs stays bounded.
 *   <li>In a large store, whose SSTs are larger than a split unit ({@link SstSizes}), all SSTs of
 *       today are small. They are moved like all others until the output tree has more than {@link
 *       SstSizes#few} allows. Beyond that, neighbours are joined up to the target ({@link
 *       GroupPacking}). So ascending keys are rewritten about once on the way to a terabyte.
 * </ol>
 *
 * <p>Pure and deterministic. O(n log n) for n SSTs.
 */
public final class StepPlanner {

  private static final int SSTS_PER_UNIT = 4;
  private static final int SSTS_OF_A_SMALL_TREE = 96;
  private static final int SMALL_SSTS_OF_A_TREE = 1024;

  private final SstSizes sizes;

  private StepPlanner(SstSizes sizes) {
    this.sizes = sizes;
  }

  /**
   * Plans the compaction of whole trees into one.
   *
   * @param trees each tree's SSTs in key order, disjoint; trees may be empty
   * @param sizes the sizes of SSTs
   * @return the steps in key order; each input SST is in exactly one of them
   * @throws IllegalArgumentException if the SSTs of a tree are not disjoint and in order
   */
  public static List<Step> plan(List<? extends List<? extends SstSlice>> trees, SstSizes sizes) {
    List<OverlapRun> overlapping = overlapping(byKey(trees));
    if (overlapping.isEmpty()) {
      return List.of();
    }
    StepPlanner planner = new StepPlanner(sizes);
    List<GroupPacking.Group> groups = planner.joinSmall(overlapping, gapsBefore(overlapping));
    return planner.steps(overlapping, planner.packed(planner.joinUntilFew(groups)));
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
    KeyGaps.Scale scale = new KeyGaps.Scale(keys, 0);
    double[] gaps = new double[runs.size()];
    gaps[0] = Double.POSITIVE_INFINITY;
    for (int i = 1; i < gaps.length; i++) {
      gaps[i] = scale.gapBytes(2 * i);
    }
    return gaps;
  }

  private List<GroupPacking.Group> joinSmall(List<OverlapRun> runs, double[] gaps) {
    List<GroupPacking.Group> groups = new ArrayList<>();
    for (int i = 0; i < gaps.length; i++) {
      GroupPacking.Group next = group(runs, gaps, i);
      GroupPacking.Group last = groups.isEmpty() ? next : groups.get(groups.size() - 1);
      if (!groups.isEmpty()
          && sizes.isClose(next.gapBefore)
          && (sizes.isSmall(last.bytes)
              || (sizes.isSmall(next.bytes) && !isBetter(runs, gaps, i + 1, last)))) {
        last.absorb(next);
      } else {
        groups.add(next);
      }
    }
    return groups;
  }

  private static GroupPacking.Group group(List<OverlapRun> runs, double[] gaps, int i) {
    OverlapRun run = runs.get(i);
    return new GroupPacking.Group(gaps[i], run.bytes, run.ssts.size() > 1);
  }

  /** Whether a small run costs less to join to run {@code right} than to the group before it. */
  private boolean isBetter(
      List<OverlapRun> runs, double[] gaps, int right, GroupPacking.Group left) {
    if (right == gaps.length) {
      return false;
    }
    GroupPacking.Group group = group(runs, gaps, right);
    return sizes.isClose(group.gapBefore) && group.rewriteBytes() < left.rewriteBytes();
  }

  private List<GroupPacking.Group> joinUntilFew(List<GroupPacking.Group> groups) {
    long excess = outputs(groups) - few(bytes(groups));
    if (excess <= 0) {
      return groups;
    }
    List<Integer> small = new ArrayList<>();
    List<Integer> close = new ArrayList<>();
    for (int i = 1; i < groups.size(); i++) {
      if (sizes.isSmall(groups.get(i - 1).bytes) && sizes.isSmall(groups.get(i).bytes)) {
        small.add(i);
      } else if (sizes.isClose(groups.get(i).gapBefore)) {
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
      GroupPacking.Group left = groups.get(joins.first(i - 1));
      GroupPacking.Group right = groups.get(i);
      if (left.bytes + right.bytes <= sizes.splitUnitBytes()) {
        excess -= left.outputs(sizes.targetBytes()) + right.outputs(sizes.targetBytes()) - 1;
        left.absorb(right);
        joins.join(i);
      }
    }
    return joins.firsts(groups);
  }

  private List<GroupPacking.Group> packed(List<GroupPacking.Group> groups) {
    long excess = outputs(groups) - sizes.few(bytes(groups));
    return sizes.areGrown() && excess > 0 ? GroupPacking.pack(groups, sizes, excess) : groups;
  }

  private long outputs(List<GroupPacking.Group> groups) {
    return groups.stream().mapToLong(group -> group.outputs(sizes.targetBytes())).sum();
  }

  private static long bytes(List<GroupPacking.Group> groups) {
    return groups.stream().mapToLong(group -> group.bytes).sum();
  }

  /** How many SSTs a tree with that much data may have before small ones are joined. */
  private long few(long bytes) {
    return Math.min(
        SSTS_PER_UNIT * (bytes / sizes.regularBytes() + 1) + SSTS_OF_A_SMALL_TREE,
        SSTS_PER_UNIT * (bytes / sizes.splitUnitBytes() + 1) + SMALL_SSTS_OF_A_TREE);
  }

  /** The groups that have been absorbed by the one before them; a union-find along a line. */
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

    List<GroupPacking.Group> firsts(List<GroupPacking.Group> groups) {
      List<GroupPacking.Group> firsts = new ArrayList<>();
      for (int i = 0; i < parent.length; i++) {
        if (parent[i] == i) {
          firsts.add(groups.get(i));
        }
      }
      return firsts;
    }
  }

  private List<Step> steps(List<OverlapRun> runs, List<GroupPacking.Group> groups) {
    List<Step> steps = new ArrayList<>(groups.size());
    int run = 0;
    for (GroupPacking.Group group : groups) {
      List<SstSlice> ssts = new ArrayList<>();
      for (int end = run + group.runs; run < end; run++) {
        ssts.addAll(runs.get(run).ssts);
      }
      if (ssts.size() == 1) {
        steps.add(new Step.Move(ssts.get(0)));
      } else {
        long pieces = sizes.pieces(group.bytes);
        steps.add(new Step.Rewrite(ssts, (group.bytes + pieces - 1) / pieces));
      }
    }
    return List.copyOf(steps);
  }

  /**
   * One step of a compaction along the key space; its output lies wholly above that of the step
   * before.
   */
  public sealed interface Step {
    /** What the step takes from the input trees, by smallest key. */
    List<SstSlice> inputs();

    /**
     * The SST is moved to the output tree as it is: only metadata changes (TPDS §4.3, "directly
     * moved").
     */
    record Move(SstSlice slice) implements Step {
      @Override
      public List<SstSlice> inputs() {
        return List.of(slice);
      }
    }

    /**
     * The inputs are merge-sorted and rewritten.
     *
     * @param inputs by smallest key, then in the order of the trees
     * @param outputBytes target size of each output SST, so that all are about equal
     */
    record Rewrite(List<SstSlice> inputs, long outputBytes) implements Step {
      public Rewrite {
        inputs = List.copyOf(inputs);
      }
    }

    /** The inputs are dropped. */
    record Drop(List<SstSlice> inputs) implements Step {
      public Drop {
        inputs = List.copyOf(inputs);
      }
    }
  }

  /**
   * Joins neighbouring groups until a compaction leaves few enough SSTs, so that as little as
   * possible is rewritten: of all joins that save SSTs, the one that rewrites the fewest bytes for
   * each comes first. A group that is rewritten already costs nothing more, so one SST is filled
   * before the next is begun. Groups with a large gap between them are joined only when nothing
   * else is left, unless both are small.
   *
   * <p>Deterministic. O(n log n) for n groups.
   */
  private static final class GroupPacking {
    private static final Comparator<Join> CHEAPEST_FIRST =
        Comparator.comparing(Join::isWide)
            .thenComparingDouble(Join::bytesPerSst)
            .thenComparingInt(Join::left);

    private final SstSizes sizes;
    private final List<Group> groups;

    /** Neighbours of each group that has not been absorbed. */
    private final int[] next;

    private final int[] previous;
    private final PriorityQueue<Join> joins = new PriorityQueue<>(CHEAPEST_FIRST);

    /** Group {@code left} absorbs the next one; valid as long as they have that many bytes. */
    private record Join(boolean isWide, double bytesPerSst, int left, long bytes) {}

    private GroupPacking(List<Group> groups, SstSizes sizes) {
      this.sizes = sizes;
      this.groups = groups;
      this.next = new int[groups.size()];
      this.previous = new int[groups.size()];
      Arrays.setAll(next, i -> i + 1);
      Arrays.setAll(previous, i -> i - 1);
    }

    /**
     * Joins groups.
     *
     * @param groups in key order; those that absorb others are changed
     * @param excess how many SSTs are to be saved, if possible; at least 1
     * @return the groups that are left
     */
    static List<Group> pack(List<Group> groups, SstSizes sizes, long excess) {
      return new GroupPacking(groups, sizes).joined(excess);
    }

    private List<Group> joined(long excess) {
      for (int i = 0; i < next.length; i++) {
        offer(i);
      }
      boolean[] absorbed = new boolean[next.length];
      long left = excess;
      while (left > 0 && !joins.isEmpty()) {
        Join join = joins.remove();
        int into = join.left;
        int right = next[into];
        if (!absorbed[into] && right < next.length && bytes(into, right) == join.bytes) {
          left -= saved(into, right);
          groups.get(into).absorb(groups.get(right));
          absorbed[right] = true;
          next[into] = next[right];
          if (next[into] < next.length) {
            previous[next[into]] = into;
          }
          offer(into);
          offer(previous[into]);
        }
      }
      List<Group> joined = new ArrayList<>();
      for (int i = 0; i < next.length; i = next[i]) {
        joined.add(groups.get(i));
      }
      return joined;
    }

    private void offer(int left) {
      if (left < 0 || next[left] == next.length) {
        return;
      }
      Group group = groups.get(left);
      Group right = groups.get(next[left]);
      long saved = saved(left, next[left]);
      if (saved > 0) {
        boolean isWide =
            !sizes.isClose(right.gapBefore)
                && !(sizes.isSmall(group.bytes) && sizes.isSmall(right.bytes));
        double rewritten = (double) group.rewriteBytes() + right.rewriteBytes();
        joins.add(new Join(isWide, rewritten / saved, left, bytes(left, next[left])));
      }
    }

    private long bytes(int left, int right) {
      return groups.get(left).bytes + groups.get(right).bytes;
    }

    private long saved(int left, int right) {
      return groups.get(left).outputs(sizes.targetBytes())
          + groups.get(right).outputs(sizes.targetBytes())
          - sizes.pieces(bytes(left, right));
    }

    /** Neighbouring runs of overlapping SSTs that become one step of a compaction. */
    static final class Group {
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

      /** SSTs that the step leaves. */
      long outputs(long targetBytes) {
        return rewritten ? SstSizes.pieces(bytes, targetBytes) : 1;
      }

      /** Bytes that are rewritten only because something joins this group. */
      long rewriteBytes() {
        return rewritten ? 0 : bytes;
      }
    }
  }
}
