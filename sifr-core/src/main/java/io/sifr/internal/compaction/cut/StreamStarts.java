package io.sifr.internal.compaction.cut;

import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Where ascending streams of keys begin among the samples of a merge. In a stream its trees follow
 * one another, each with the keys of its time; so a stream begins where a tree continues that
 * others have followed. Where random keys interleave that is everywhere.
 *
 * <p>A single sample of a tree among those of others says nothing: it is a stray, or a key that an
 * index has shortened to what divides two streams, which any tree may have there, not the first one
 * alone.
 */
final class StreamStarts {
  private final List<KeySamples.Sample> byKey;
  private final List<Integer> starts = new ArrayList<>();

  /** Those of the stream at hand. */
  private final List<Turn> turns = new ArrayList<>();

  /**
   * Samples of one tree.
   *
   * @param begin index of the first one
   */
  private record Turn(int tree, int begin) {}

  private StreamStarts(List<KeySamples.Sample> byKey) {
    this.byKey = byKey;
  }

  /**
   * The starts, and the number of samples.
   *
   * @param byKey samples, ascending
   * @return indexes of samples above 0, ascending
   */
  static List<Integer> of(List<KeySamples.Sample> byKey) {
    return new StreamStarts(byKey).find();
  }

  private List<Integer> find() {
    int current = KeySamples.SEVERAL;
    for (int i = 0; i + 1 < byKey.size(); i++) {
      int tree = byKey.get(i).tree();
      boolean isLone = tree != byKey.get(i + 1).tree();
      if (tree != current && tree != KeySamples.SEVERAL && !isLone) {
        begin(tree, i);
        current = tree;
      }
    }
    starts.add(byKey.size());
    return starts;
  }

  private void begin(int tree, int i) {
    for (int t = turns.size() - 2; t >= 0; t--) {
      if (turns.get(t).tree == tree) {
        int start = widest(turns.get(t + 1).begin, i);
        starts.add(start);
        turns.removeIf(turn -> turn.begin < start);
        break;
      }
    }
    turns.add(new Turn(tree, i));
  }

  /**
   * The sample that has the least in common with the one before. That a stream has begun may be
   * seen late: the first trees in it may have held nothing of the one before, and where trees have
   * shortened keys at its start, it begins with the first of these.
   */
  private int widest(int from, int to) {
    int widest = to;
    int least = Integer.MAX_VALUE;
    for (int i = to; i >= from; i--) {
      byte[] low = byKey.get(i - 1).key();
      byte[] high = byKey.get(i).key();
      int shared = Bytes.commonPrefix(low, 0, low.length, high, 0, high.length);
      if (shared < least) {
        least = shared;
        widest = i;
      }
    }
    return widest;
  }
}
