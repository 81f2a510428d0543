package io.sifr.internal.forest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A merge that has begun, and of which the manifest knows how far it has come: the compaction
 * journal (TPDS §4.3). Immutable.
 *
 * <p>I2: keys of a consumed span lie in the output tree only, all others in the input trees only;
 * the trees of the forest are clipped so. The last key of each span is a frontier: from there the
 * merge goes on, in this process or after a crash in the next. What was consumed never comes back.
 *
 * @param outputTreeId the tree it writes; also the name of the merge
 * @param sourceStage stage of the inputs; the target stage when they are all trees there were
 * @param targetStage stage of the output tree
 * @param rewritesAll whether it is one of all trees there were, see {@link
 *     ForestEdit.CompactionBegun}
 * @param inputTreeIds trees with something left to consume, the most believed first
 * @param consumed what it has come through, ascending; between two spans there are always keys
 */
public record Compaction(
    long outputTreeId,
    int sourceStage,
    int targetStage,
    boolean rewritesAll,
    List<Long> inputTreeIds,
    List<KeySpan> consumed) {
  /** A copy that nobody can change. */
  public Compaction {
    inputTreeIds = List.copyOf(inputTreeIds);
    consumed = List.copyOf(consumed);
  }

  /** Whether all its inputs came to the target stage when it began, from whatever stage. */
  boolean isWithinStage() {
    return rewritesAll;
  }

  /** Whether the tree is an input or the output of the merge. */
  public boolean uses(long treeId) {
    return treeId == outputTreeId || inputTreeIds.contains(treeId);
  }

  /** The spans it has still to come through, ascending. */
  public List<KeySpan> remaining() {
    List<KeySpan> remaining = new ArrayList<>(consumed.size() + 1);
    byte[] above = null;
    for (KeySpan span : consumed) {
      byte[] begin = span.above();
      if (begin != null && !Arrays.equals(begin, above)) {
        remaining.add(new KeySpan(above, begin));
      }
      above = span.last();
      if (above == null) {
        return remaining;
      }
    }
    remaining.add(new KeySpan(above, null));
    return remaining;
  }

  /**
   * This merge, having come through one more span.
   *
   * @param inputsLeft the inputs that still hold something
   * @throws IllegalArgumentException when it has come through some of it already
   */
  Compaction consuming(KeySpan span, List<Long> inputsLeft) {
    List<KeySpan> spans = new ArrayList<>(consumed.size() + 1);
    KeySpan grown = span;
    boolean added = false;
    for (KeySpan other : consumed) {
      if (other.and(span).isPresent()) {
        throw new IllegalArgumentException(
            "merge " + outputTreeId + " has come through some of these keys already");
      }
      if (touches(other.last(), grown.above())) {
        grown = new KeySpan(other.above(), grown.last());
      } else if (touches(grown.last(), other.above())) {
        grown = new KeySpan(grown.above(), other.last());
      } else {
        if (!added && isBefore(grown, other)) {
          spans.add(grown);
          added = true;
        }
        spans.add(other);
      }
    }
    if (!added) {
      spans.add(grown);
    }
    return new Compaction(outputTreeId, sourceStage, targetStage, rewritesAll, inputsLeft, spans);
  }

  private static boolean touches(byte @Nullable [] last, byte @Nullable [] above) {
    return last != null && above != null && Arrays.equals(last, above);
  }

  private static boolean isBefore(KeySpan a, KeySpan b) {
    byte[] last = a.last();
    byte[] above = b.above();
    return last != null && above != null && Arrays.compareUnsigned(last, above) <= 0;
  }
}
