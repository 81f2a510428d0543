package io.sifr.internal.forest;

import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keys at which the SSTs of a stage are cut, whatever their size (PebblesDB, SOSP 2017). A key is a
 * guard if the lowest bits of its hash are ones; so guards are spread like the keys that were
 * written, and nothing about them has to be stored: an output is cut before each guard that it
 * holds, so the guards that are known are those with which SSTs begin.
 *
 * <p>Immutable.
 */
public final class Guards {
  public static final Guards NONE = new Guards(0, List.of());

  private final long mask;

  /** The keys after which a guard is the next one, ascending. */
  private final byte[][] before;

  private Guards(long mask, Collection<byte[]> before) {
    this.mask = mask;
    this.before = before.toArray(byte[][]::new);
  }

  /**
   * The guards that a forest knows.
   *
   * @param bits how many of the lowest bits of a guard's hash are ones, 1 to 63
   */
  public static Guards of(Forest forest, int bits) {
    long mask = (1L << bits) - 1;
    TreeSet<byte[]> before = new TreeSet<>(Arrays::compareUnsigned);
    for (LogicalTree tree : forest.byPriority()) {
      for (SstSlice slice : tree.slices()) {
        byte[] key = slice.smallestKey();
        byte @Nullable [] end = KeySpan.before(key);
        if (end != null && isGuard(mask, key, 0, key.length)) {
          before.add(end);
        }
      }
    }
    return new Guards(mask, before);
  }

  private static boolean isGuard(long mask, byte[] key, int offset, int length) {
    return (KeyHash.of(key, offset, length) & mask) == mask;
  }

  /** The key ranges into which the known guards divide all keys, ascending. */
  public List<KeySpan> spans() {
    List<KeySpan> spans = new ArrayList<>(before.length + 1);
    byte @Nullable [] above = null;
    for (byte[] end : before) {
      spans.add(new KeySpan(above, end));
      above = end;
    }
    spans.add(new KeySpan(above, null));
    return spans;
  }

  /** Finds the guards among ascending keys. Used by one thread. */
  public Cuts cuts() {
    return new Cuts();
  }

  /** The cuts of one output. */
  public final class Cuts {
    private int passed;

    /**
     * Whether a guard lies after the key of the last call, and before this one or at it. A key that
     * becomes a guard counts too.
     */
    public boolean isBefore(byte[] key, int offset, int length) {
      if (mask == 0) {
        return false;
      }
      int first = passed;
      while (passed < before.length
          && Bytes.compare(before[passed], 0, before[passed].length, key, offset, length) < 0) {
        passed++;
      }
      return passed > first || isGuard(mask, key, offset, length);
    }
  }
}
