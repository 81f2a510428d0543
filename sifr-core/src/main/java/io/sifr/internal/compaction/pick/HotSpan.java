package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys on which reads waste much more than on as much data elsewhere. Begins and ends where SSTs of
 * the tree begin and end that holds most of them, so that a compaction of these keys leaves neither
 * small SSTs nor many that are clipped.
 *
 * @param span the keys
 * @param share the part of all that is wasted that is wasted on them, 0 to 1
 * @param bytes what the trees hold of them, at most
 */
record HotSpan(KeySpan span, double share, long bytes) {
  /** With fewer keys of reads nothing can be said. */
  private static final int FEWEST_KEYS = 96;

  /** It has at least so many times its share by size of what is wasted. */
  private static final int DENSITY = 4;

  /** It has at least one in so many of the keys; of fewer it could be chance. */
  private static final int SMALLEST_PART = 8;

  /**
   * The key ranges with the largest density for all of the keys of reads, for half of them, and so
   * on; without those that are not hot.
   *
   * @param keys of reads, drawn in proportion to what they wasted; ascending
   */
  static List<HotSpan> of(Forest forest, List<byte[]> keys) {
    List<HotSpan> found = new ArrayList<>();
    int count = keys.size();
    if (count < FEWEST_KEYS) {
      return found;
    }
    long all = forest.byPriority().stream().mapToLong(LogicalTree::liveBytes).sum();
    Bytes bytes = new Bytes(forest, keys);
    for (int part = 1; part <= SMALLEST_PART; part *= 2) {
      int width = count / part;
      int least = 0;
      for (int i = 1; i + width <= count; i++) {
        if (bytes.between(i, i + width - 1) < bytes.between(least, least + width - 1)) {
          least = i;
        }
      }
      double share = (double) width / count;
      HotSpan hot = atBorders(forest, keys.get(least), keys.get(least + width - 1), share);
      if (hot != null && (double) DENSITY * hot.bytes <= share * all) {
        found.add(hot);
      }
    }
    return found;
  }

  /** Null if no tree holds any of the keys. */
  private static @Nullable HotSpan atBorders(
      Forest forest, byte[] first, byte[] last, double share) {
    KeySpan inner = new KeySpan(KeySpan.before(first), last);
    LogicalTree largest = null;
    long most = 0;
    for (LogicalTree tree : forest.byPriority()) {
      long bytes = bytesIn(tree, inner);
      if (bytes > most) {
        largest = tree;
        most = bytes;
      }
    }
    if (largest == null) {
      return null;
    }
    List<SstSlice> slices = largest.slicesIn(inner);
    byte[] begin = slices.get(0).smallestKey();
    byte[] end = slices.get(slices.size() - 1).largestKey();
    KeySpan span =
        new KeySpan(
            KeySpan.before(Arrays.compareUnsigned(begin, first) < 0 ? begin : first),
            Arrays.compareUnsigned(end, last) > 0 ? end : last);
    return new HotSpan(span, share, bytesIn(forest, span));
  }

  /** Its beginning, of about so many bytes; all of it if it has no more. */
  HotSpan beginning(Forest forest, long mostBytes) {
    if (bytes <= mostBytes) {
      return this;
    }
    LogicalTree largest = forest.byPriority().get(0);
    for (LogicalTree tree : forest.byPriority()) {
      largest = bytesIn(tree, span) > bytesIn(largest, span) ? tree : largest;
    }
    double scale = (double) bytes / bytesIn(largest, span);
    double before = 0;
    for (SstSlice slice : largest.slicesIn(span)) {
      before += slice.bytes() * scale;
      byte[] end = slice.largestKey();
      byte[] last = span.last();
      if (before >= mostBytes && (last == null || Arrays.compareUnsigned(end, last) < 0)) {
        KeySpan beginning = new KeySpan(span.above(), end);
        long held = Math.min(bytes, bytesIn(forest, beginning));
        return new HotSpan(beginning, share * held / bytes, held);
      }
    }
    return this;
  }

  /** The trees that hold anything in it, highest priority first. */
  List<LogicalTree> trees(Forest forest) {
    return forest.byPriority().stream().filter(tree -> tree.holdsIn(span)).toList();
  }

  private static long bytesIn(Forest forest, KeySpan span) {
    return forest.byPriority().stream().mapToLong(tree -> bytesIn(tree, span)).sum();
  }

  /** Of slices that reach beyond the key range all bytes. */
  private static long bytesIn(LogicalTree tree, KeySpan span) {
    return tree.slicesIn(span).stream().mapToLong(SstSlice::bytes).sum();
  }

  /** The bytes of a forest from one of the keys to another, for any two of them. */
  private static final class Bytes {
    /** Bytes of the slices that begin at or before each key. */
    private final long[] begun;

    /** Bytes of the slices that end before each key. */
    private final long[] ended;

    Bytes(Forest forest, List<byte[]> keys) {
      begun = new long[keys.size()];
      ended = new long[keys.size()];
      for (LogicalTree tree : forest.byPriority()) {
        List<SstSlice> slices = tree.slices();
        int slice = 0;
        long before = 0;
        for (int i = 0; i < keys.size(); i++) {
          byte[] key = keys.get(i);
          while (slice < slices.size()
              && Arrays.compareUnsigned(slices.get(slice).largestKey(), key) < 0) {
            before += slices.get(slice++).bytes();
          }
          ended[i] += before;
          boolean isIn =
              slice < slices.size()
                  && Arrays.compareUnsigned(slices.get(slice).smallestKey(), key) <= 0;
          begun[i] += before + (isIn ? slices.get(slice).bytes() : 0);
        }
      }
    }

    long between(int first, int last) {
      return begun[last] - ended[first];
    }
  }
}
