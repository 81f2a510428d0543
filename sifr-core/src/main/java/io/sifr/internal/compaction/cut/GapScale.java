package io.sifr.internal.compaction.cut;

import java.util.Arrays;

/**
 * Measures gaps between neighbouring keys in bytes of data: how much a gap would hold if it were as
 * densely filled as the densest keys beside it.
 *
 * <p>A key is taken as a number. Its digit at a position is the byte's rank among all bytes seen,
 * and runs from the lowest to the highest byte seen <em>at that position</em>, once enough
 * neighbours have differed there to tell. So 0999 and 1000 are neighbours in decimal text, and
 * 09:59 and 10:00 in times, and likewise in hexadecimal, binary and any other way of counting; as
 * plain bytes they would be far apart.
 *
 * <p>The keys form a trie, and two neighbours diverge at one of its nodes. A step of the digit
 * there is worth the <em>most data under one child of that node</em>, or its share of a step of the
 * node above if that is more: two outliers diverge where nothing else is, but close to a dense run.
 * Multiplying the radices of the lower digits looks more natural, but isolates nearly every word
 * and URL, since text uses hardly any of the possible combinations.
 */
final class GapScale {

  /**
   * From this many steps at a position on, it is assumed to take only the digits seen. With fewer,
   * the digits of one outlier could be the highest of their positions, which would make it a
   * neighbour of the run.
   */
  private static final int TELLING_STEPS = 8;

  private final KeyGaps keys;
  private final int firstPosition;
  private final int[] ranks = new int[KeyGaps.SYMBOLS]; // of a symbol among all seen
  private final int[] radices; // how many digits there are at a position
  private final int[] nodes; // at which node of the trie a key parts from the one before it
  private final float[] stepBytes; // what a step of the digit at a node is worth

  /**
   * Derives the scale from the keys.
   *
   * @param entryBytes least worth of one step of a digit: the size of an entry if every key was
   *     added, 0 if keys were left out between those added
   */
  GapScale(KeyGaps keys, double entryBytes) {
    this.keys = keys;
    int first = Integer.MAX_VALUE;
    int last = 0;
    for (int i = 1; i < keys.size(); i++) {
      first = Math.min(first, keys.shared(i));
      last = Math.max(last, keys.shared(i));
    }
    firstPosition = Math.min(first, last);
    radices = new int[last - firstPosition + 1 + KeyGaps.WINDOW];
    observeDigits();
    Trie trie = new Trie(keys);
    nodes = trie.nodes;
    stepBytes = trie.largestChild;
    spread(trie, (float) entryBytes);
  }

  /** The gap between key {@code key} and the key before it, in bytes, at least 0. */
  double gapBytes(int key) {
    return steps(key) * stepBytes[nodes[key]];
  }

  /** A bound that {@link #gapBytes} does not exceed, at a fraction of the cost. */
  double gapBytesAtMost(int key) {
    int steps = rank(keys.after(key), 0) - rank(keys.before(key), 0);
    return (steps + 1.0) * stepBytes[nodes[key]];
  }

  /** The gap in steps of the digit at which the two keys first differ, at least 0. */
  private double steps(int key) {
    long low = keys.before(key);
    long high = keys.after(key);
    int length = Math.max(KeyGaps.length(low), KeyGaps.length(high));
    int position = keys.shared(key) - firstPosition;
    double steps = 0;
    double step = 1;
    for (int i = 0; i < length; i++) {
      steps += step * (rank(high, i) - rank(low, i));
      step /= radices[++position];
    }
    return Math.max(0, steps);
  }

  private int rank(long window, int i) {
    return ranks[KeyGaps.symbol(window, i)];
  }

  private void observeDigits() {
    boolean[] seen = new boolean[ranks.length];
    int[] steps = new int[radices.length];
    int[] lowest = new int[radices.length];
    int[] highest = new int[radices.length];
    Arrays.fill(lowest, ranks.length - 1);
    for (int i = 1; i < keys.size(); i++) {
      int position = keys.shared(i) - firstPosition;
      long low = keys.before(i);
      long high = keys.after(i);
      steps[position]++;
      int length = Math.max(KeyGaps.length(low), KeyGaps.length(high));
      for (int k = 0; k < length; k++, position++) {
        int a = KeyGaps.symbol(low, k);
        int b = KeyGaps.symbol(high, k);
        seen[a] = true;
        seen[b] = true;
        lowest[position] = Math.min(lowest[position], Math.min(a, b));
        highest[position] = Math.max(highest[position], Math.max(a, b));
      }
    }
    for (int i = 1; i < ranks.length; i++) {
      ranks[i] = ranks[i - 1] + (seen[i - 1] ? 1 : 0);
    }
    int last = ranks.length - 1;
    int all = ranks[last] + (seen[last] ? 1 : 0);
    for (int i = 0; i < radices.length; i++) {
      int seenHere = Math.max(1, ranks[highest[i]] - ranks[lowest[i]] + 1);
      radices[i] = seenHere == 1 || steps[i] >= TELLING_STEPS ? seenHere : all;
    }
  }

  /**
   * Distributes data whose position is known only roughly: between two keys, evenly over the steps
   * between them, and below a node at least a fair share for each digit.
   */
  private void spread(Trie trie, float entryBytes) {
    for (int i = 1; i < keys.size(); i++) {
      int node = nodes[i];
      if (keys.weight(i) > Math.max(stepBytes[node], entryBytes)) {
        float share = (float) (keys.weight(i) / Math.max(1, steps(i)));
        stepBytes[node] = Math.max(stepBytes[node], share);
      }
    }
    for (int i = trie.size - 1; i >= 0; i--) {
      int node = trie.childrenFirst[i];
      float least = Math.max(stepBytes[node], entryBytes);
      if (i < trie.size - 1) {
        int parent = trie.parents[node];
        float share = stepBytes[parent];
        int end = trie.depths[node] - firstPosition;
        for (int p = trie.depths[parent] + 1 - firstPosition; p <= end && share > least; p++) {
          share /= radices[p];
        }
        least = Math.max(least, share);
      }
      stepBytes[node] = least;
    }
  }

  /** The inner nodes of the keys' trie: each stands for the prefix that two or more keys share. */
  private static final class Trie {
    final int[] nodes; // by key
    final int[] parents; // by node; the root's means nothing
    final int[] depths; // by node: the length of the prefix
    final float[] largestChild; // by node: the most data under one child
    final int[] childrenFirst; // the nodes, each after all below it; the root is the last one
    int size;
    private int closed;

    Trie(KeyGaps keys) {
      nodes = new int[keys.size()];
      parents = new int[keys.size()];
      depths = new int[keys.size()];
      largestChild = new float[keys.size()];
      childrenFirst = new int[keys.size()];
      build(keys);
    }

    /** One pass with a stack of the nodes that later keys may still belong to, the root lowest. */
    private void build(KeyGaps keys) {
      int[] open = new int[64];
      double[] bytes = new double[64];
      int top = -1;
      for (int i = 1; i < keys.size(); i++) {
        int depth = keys.shared(i);
        int child = -1;
        double childBytes = 0;
        while (top >= 0 && depths[open[top]] > depth) {
          childBytes = bytes[top] + adopt(open[top], child, childBytes);
          child = open[top--];
        }
        if (top < 0 || depths[open[top]] < depth) {
          if (++top == open.length) {
            open = Arrays.copyOf(open, 2 * top);
            bytes = Arrays.copyOf(bytes, 2 * top);
          }
          open[top] = size;
          bytes[top] = 0;
          depths[size++] = depth;
        }
        bytes[top] += adopt(open[top], child, childBytes) + keys.weight(i);
        nodes[i] = open[top];
      }
      int child = -1;
      double childBytes = 0;
      for (; top >= 0; top--) {
        childBytes = bytes[top] + adopt(open[top], child, childBytes);
        child = open[top];
      }
      if (child >= 0) {
        childrenFirst[closed++] = child;
      }
    }

    /** Closes a child, if there is one, and returns the data under it. */
    private double adopt(int parent, int child, double childBytes) {
      if (child < 0) {
        return 0;
      }
      parents[child] = parent;
      childrenFirst[closed++] = child;
      largestChild[parent] = Math.max(largestChild[parent], (float) childBytes);
      return childBytes;
    }
  }
}
