package io.sifr.internal.compaction.cut;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A digest of ascending keys, from which the gaps between neighbours are measured later.
 *
 * <p>It keeps 24 bytes per key, however long the key is: how many bytes it shares with the key
 * before it, the seven bytes that follow in each of the two, and a weight. That is enough, because
 * only the bytes after the shared ones decide how far two neighbours are apart. Not thread-safe.
 */
final class KeyGaps {

  /** Bytes of each neighbour that are kept from the first difference on. */
  static final int WINDOW = Long.BYTES - 1;

  /** Number of values of {@link #symbol}: the end of the key, then the 256 bytes. */
  static final int SYMBOLS = 257;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private int[] shared;
  private long[] before;
  private long[] after;
  // A float's 24 bits are plenty for "about a split unit"; a long would cost 4 more bytes a key.
  private float[] weights;
  private int size;
  private byte[] previous = new byte[64];
  private int previousLength;

  KeyGaps(int expectedKeys) {
    int capacity = Math.max(16, expectedKeys);
    shared = new int[capacity];
    before = new long[capacity];
    after = new long[capacity];
    weights = new float[capacity];
  }

  /**
   * Adds the next key.
   *
   * @param weight the bytes of data that lie after the previous key and up to this one
   * @return a negative number if the key is above the previous one, 0 if it is equal, a positive
   *     number if it is below (not allowed: the digest is then useless)
   */
  int add(byte[] array, int offset, int length, float weight) {
    if (size == shared.length) {
      grow();
    }
    int order = -1;
    if (size > 0) {
      int common = commonPrefix(array, offset, length);
      long low = window(previous, common, previousLength);
      long high = window(array, offset + common, offset + length);
      shared[size] = common;
      before[size] = low;
      after[size] = high;
      order = Integer.compare(symbol(low, 0), symbol(high, 0));
    }
    weights[size++] = weight;
    keep(array, offset, length);
    return order;
  }

  int size() {
    return size;
  }

  float weight(int key) {
    return weights[key];
  }

  /** The number of bytes that key {@code key} shares with the key before it. */
  int shared(int key) {
    return shared[key];
  }

  /** What follows the shared bytes in the key before {@code key}; read it with {@link #symbol}. */
  long before(int key) {
    return before[key];
  }

  /** What follows the shared bytes in key {@code key}; read it with {@link #symbol}. */
  long after(int key) {
    return after[key];
  }

  /** The number of symbols in a window up to the end of the key. */
  static int length(long window) {
    return (int) window & 0xFF;
  }

  /** Symbol {@code i} of a window: 0 after the end of the key, else the unsigned byte plus 1. */
  static int symbol(long window, int i) {
    return i < length(window) ? ((int) (window >>> (Long.SIZE - 8 * (i + 1))) & 0xFF) + 1 : 0;
  }

  private int commonPrefix(byte[] array, int offset, int length) {
    int mismatch = Arrays.mismatch(previous, 0, previousLength, array, offset, offset + length);
    return mismatch < 0 ? length : mismatch;
  }

  /** Up to seven bytes, the first one highest, and in the lowest byte how many they are. */
  private static long window(byte[] array, int from, int end) {
    if (end - from > WINDOW) {
      return ((long) BIG_ENDIAN.get(array, from) & -256L) | WINDOW;
    }
    int length = end - from;
    long window = 0;
    for (int i = 0; i < length; i++) {
      window |= (array[from + i] & 0xFFL) << (Long.SIZE - 8 * (i + 1));
    }
    return window | length;
  }

  private void keep(byte[] array, int offset, int length) {
    if (previous.length < length) {
      previous = new byte[Math.max(length, 2 * previous.length)];
    }
    System.arraycopy(array, offset, previous, 0, length);
    previousLength = length;
  }

  private void grow() {
    int capacity = size + (size >> 1);
    shared = Arrays.copyOf(shared, capacity);
    before = Arrays.copyOf(before, capacity);
    after = Arrays.copyOf(after, capacity);
    weights = Arrays.copyOf(weights, capacity);
  }

  /**
   * Measures gaps between neighbouring keys in bytes of data: how much a gap would hold if it were
   * as densely filled as the densest keys beside it.
   *
   * <p>A key is taken as a number. Its digit at a position is the byte's rank among all bytes seen,
   * and runs from the lowest to the highest byte seen <em>at that position</em>, once enough
   * neighbours have differed there to say. So 0999 and 1000 are neighbours in decimal text, and
   * 09:59 and 10:00 in times, and likewise in hexadecimal, binary and any other way of counting; as
   * plain bytes they would be far apart.
   *
   * <p>The keys form a trie, and two neighbours diverge at one of its nodes. A step of the digit
   * there is worth the <em>most data under one child of that node</em>, or its share of a step of
   * the node above if that is more: two outliers diverge where nothing else is, but close to a
   * dense run. Multiplying the radices of the lower digits looks more natural, but isolates nearly
   * every word and URL, since text uses hardly any of the possible combinations.
   */
  static final class Scale {

    /**
     * From this many steps at a position on, it is assumed to take only the digits seen. With
     * fewer, the digits of one outlier could be the highest of their positions, which would make it
     * a neighbour of the run.
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
    Scale(KeyGaps keys, double entryBytes) {
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
     * Distributes data whose position is known only roughly: between two keys, evenly over the
     * steps between them, and below a node at least a fair share for each digit.
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

    /**
     * The inner nodes of the keys' trie: each stands for the prefix that two or more keys share.
     */
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

      /**
       * One pass with a stack of the nodes that later keys may still belong to, the root lowest.
       */
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
}
