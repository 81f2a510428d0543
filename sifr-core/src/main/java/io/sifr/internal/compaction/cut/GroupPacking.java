package io.sifr.internal.compaction.cut;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Joins neighbouring groups until a compaction leaves few enough SSTs, so that as little as
 * possible is rewritten: of all joins that save SSTs, the one that rewrites the fewest bytes for
 * each comes first. A group that is rewritten already costs nothing more, so one SST is filled
 * before the next is begun. Groups with a large gap between them are joined only when nothing else
 * is left, unless both are small.
 *
 * <p>Deterministic. O(n log n) for n groups.
 */
final class GroupPacking {
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
