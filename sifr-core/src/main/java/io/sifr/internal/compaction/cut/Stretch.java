package io.sifr.internal.compaction.cut;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.sifr.error.SifrException;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a compaction's output between two large gaps of the keys. The output is cut at such
 * gaps, whatever the size of the SSTs.
 *
 * <p>Many ascending streams, such as sensors or tenants with a time after them, are far apart, and
 * each has little data in a flush. Once trees are compacted, each has enough for an SST of its own.
 * An SST that holds the end of one stream and the beginning of another overlaps all that is written
 * to the first one later, and so is rewritten in each stage; SSTs of one stream overlap nothing,
 * and are only moved (TPDS §4.3). So each byte is rewritten until its stream's part of a tree is
 * worth an SST, and no more.
 *
 * <p>In a stream the input trees follow one another, each with the keys of its time, and with the
 * next stream they begin anew. The gap there is the largest of all ({@link StreamStarts}). By the
 * keys alone it may be none, since the same time has passed in both streams: the end of the one and
 * the beginning of the other look like the last minute of an hour and the first one of the next.
 *
 * <p>Where a stream is in one tree only, its gap shows it. It is large if it would hold an eighth
 * of what makes an SST worth while ({@link SstSizes#worthBytes}), were it as densely filled as the
 * keys beside it ({@link KeyGaps.Scale}).
 *
 * <p>A large gap is cut if what lies on each side is worth an SST, at the largest gaps first, and
 * if on one side at least the inputs follow one another: there they hold a stream, on which later
 * data will follow, too. Where they interleave, as random keys do, a cut would be of no use, and
 * there is none.
 *
 * @param end no key of the key range reaches it; null for the last one
 * @param bytes about the data of the inputs in it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record Stretch(byte @Nullable [] end, long bytes) {
  private static final int LARGE_PER_WORTH = 8;

  /** Between the samples of one stream there are gaps, too, since these are not all of its keys. */
  private static final int SAMPLES_PER_LARGE = 4;

  private static final double FEWER_THAN_RANDOM = 0.5;

  /**
   * The key ranges of a compaction.
   *
   * @param samples how its data are spread
   * @return at least one, ascending
   */
  static List<Stretch> of(KeySamples samples, SstSizes sizes) {
    List<KeySamples.Sample> byKey = samples.byKey();
    int count = byKey.size();
    KeyGaps keys = new KeyGaps(count);
    double[] bytesBefore = new double[count + 1];
    for (int i = 0; i < count; i++) {
      byte[] key = byKey.get(i).key();
      keys.add(key, 0, key.length, i == 0 ? 0 : (float) byKey.get(i - 1).bytes());
      bytesBefore[i + 1] = bytesBefore[i] + byKey.get(i).bytes();
    }
    double worth = sizes.worthBytes();
    TreeSet<Integer> cuts = new TreeSet<>(List.of(0, count));
    if (bytesBefore[count] >= 2 * worth && count > 1) {
      KeyGaps.Scale scale = new KeyGaps.Scale(keys, 0);
      float[] gaps = new float[count];
      for (int i = 1; i < count; i++) {
        gaps[i] = (float) scale.gapBytes(i);
      }
      double least =
          Math.max(worth / LARGE_PER_WORTH, SAMPLES_PER_LARGE * bytesBefore[count] / count);
      enlargeStarts(gaps, byKey, bytesBefore, worth);
      int[] large = IntStream.range(1, count).filter(i -> gaps[i] >= least).toArray();
      LargeGaps.addLargest(large, gaps, bytesBefore, worth, cuts);
    }
    return between(useful(cuts, byKey), byKey, bytesBefore);
  }

  /** Makes the gaps where streams begin that are worth an SST, or end, the largest of all. */
  private static void enlargeStarts(
      float[] gaps, List<KeySamples.Sample> byKey, double[] bytesBefore, double worth) {
    int from = 0;
    boolean wasStream = false;
    for (int to : StreamStarts.of(byKey)) {
      boolean isStream =
          bytesBefore[to] - bytesBefore[from] >= worth && isStream(byKey.subList(from, to));
      if (from > 0 && (wasStream || isStream)) {
        gaps[from] = Float.MAX_VALUE;
      }
      from = to;
      wasStream = isStream;
    }
  }

  /** Without the cuts between keys that the inputs hold interleaved. */
  private static TreeSet<Integer> useful(TreeSet<Integer> cuts, List<KeySamples.Sample> byKey) {
    TreeSet<Integer> useful = new TreeSet<>(List.of(0, byKey.size()));
    int from = 0;
    boolean isStream = true;
    for (int to : cuts.tailSet(0, false)) {
      boolean wasStream = isStream;
      isStream = isStream(byKey.subList(from, to));
      if (wasStream || isStream) {
        useful.add(from);
      }
      from = to;
    }
    return useful;
  }

  /**
   * Whether each tree has its part of the keys alone, but for an outlier or two. As many random
   * keys as there are trees do not follow one another by chance.
   */
  private static boolean isStream(List<KeySamples.Sample> samples) {
    Multiset<Integer> trees = HashMultiset.create();
    int changes = 0;
    for (int i = 0; i < samples.size(); i++) {
      trees.add(samples.get(i).tree());
      changes += i > 0 && samples.get(i).tree() != samples.get(i - 1).tree() ? 1 : 0;
    }
    int count = trees.elementSet().size();
    double outliers = Math.max(count + 1, randomChanges(trees) * FEWER_THAN_RANDOM);
    return 2 * changes <= Math.min(3 * count, 2 * outliers);
  }

  /** How often one tree would follow another one if the samples were shuffled. */
  private static double randomChanges(Multiset<Integer> trees) {
    double all = trees.size();
    double same = 0;
    for (Multiset.Entry<Integer> tree : trees.entrySet()) {
      same += Math.pow(tree.getCount() / all, 2);
    }
    return (all - 1) * (1 - same);
  }

  private static List<Stretch> between(
      TreeSet<Integer> cuts, List<KeySamples.Sample> byKey, double[] bytesBefore) {
    List<Stretch> stretches = new ArrayList<>();
    int from = 0;
    for (int to : cuts.tailSet(0, false)) {
      byte[] end =
          to == byKey.size() ? null : firstAcross(byKey.get(to - 1).key(), byKey.get(to).key());
      stretches.add(new Stretch(end, (long) (bytesBefore[to] - bytesBefore[from])));
      from = to;
    }
    return stretches.isEmpty() ? List.of(new Stretch(null, 0)) : stretches;
  }

  /**
   * The first key across a gap between two samples: what begins like the lower one up to the first
   * difference, and with the same byte there, is on its side.
   */
  private static byte[] firstAcross(byte[] low, byte[] high) {
    int shared = Bytes.commonPrefix(low, 0, low.length, high, 0, high.length);
    if (shared == low.length) {
      return high;
    }
    byte[] first = Arrays.copyOf(low, shared + 1);
    first[shared]++; // at most the byte of the higher one
    return first;
  }

  /**
   * Finds the starts of ascending streams of keys among the samples of a compaction. In a stream
   * its trees follow one another, each with the keys of its time; so a stream begins where a tree
   * continues that others have followed. Where random keys interleave that is everywhere.
   *
   * <p>A single sample of a tree among those of others says nothing: it is an outlier, or a key
   * that an index has shortened to what divides two streams, which any tree may have there, not the
   * first one alone.
   */
  private static final class StreamStarts {
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
          int start = largest(turns.get(t + 1).begin, i);
          starts.add(start);
          turns.removeIf(turn -> turn.begin < start);
          break;
        }
      }
      turns.add(new Turn(tree, i));
    }

    /**
     * The sample that has the least in common with the one before. That a stream has begun may be
     * seen late: the first trees in it may have held nothing of the one before, and where trees
     * have shortened keys at its start, it begins with the first of these.
     */
    private int largest(int from, int to) {
      int largest = to;
      int least = Integer.MAX_VALUE;
      for (int i = to; i >= from; i--) {
        byte[] low = byKey.get(i - 1).key();
        byte[] high = byKey.get(i).key();
        int shared = Bytes.commonPrefix(low, 0, low.length, high, 0, high.length);
        if (shared < least) {
          least = shared;
          largest = i;
        }
      }
      return largest;
    }
  }

  /**
   * Roughly how the data of a compaction are spread over the keys: keys of the inputs, each with
   * the bytes that one SST holds from it to its next one. They come from the indexes of the SSTs,
   * which the compaction reads anyway. Not thread-safe.
   */
  public static final class KeySamples {
    /** Samples in what is worth an SST. */
    private static final int PER_WORTH = 32;

    /** More would take too much memory: some 100 bytes each. */
    private static final int MOST = 100_000;

    private final List<Sample> samples = new ArrayList<>();

    /**
     * A key, and the bytes that follow it in an SST.
     *
     * @param tree number of the tree among the inputs; {@link #SEVERAL} if it is a key of several
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a record
    record Sample(byte[] key, int tree, long bytes) {}

    /** Instead of a tree. */
    static final int SEVERAL = -1;

    /**
     * The samples of the inputs; none when an index cannot be read, which the compaction will
     * report.
     *
     * @throws io.sifr.internal.entry.OutdatedException when an SST is gone
     */
    public static KeySamples of(List<LogicalTree> inputs, SstSizes sizes) {
      long stepBytes = step(inputs.stream().mapToLong(LogicalTree::bytes).sum(), sizes);
      KeySamples all = new KeySamples();
      try {
        for (int i = 0; i < inputs.size(); i++) {
          for (SstSlice slice : inputs.get(i).slices()) {
            int tree = i;
            slice.sample(stepBytes, (key, bytes) -> all.add(key, tree, bytes));
          }
        }
        return all;
      } catch (SifrException e) {
        return new KeySamples();
      }
    }

    /** About the bytes from sample to sample, for a merge of that many. */
    public static long step(long mergeBytes, SstSizes sizes) {
      return Math.max(sizes.worthBytes() / PER_WORTH, mergeBytes / MOST);
    }

    /** Adds a sample; the order does not matter. */
    public void add(byte[] key, int tree, long bytes) {
      samples.add(new Sample(key, tree, bytes));
    }

    /** The samples by key; one for each key. */
    List<Sample> byKey() {
      samples.sort(Comparator.comparing(Sample::key, Arrays::compareUnsigned));
      List<Sample> distinct = new ArrayList<>(samples.size());
      for (Sample sample : samples) {
        int last = distinct.size() - 1;
        if (last >= 0 && Arrays.equals(distinct.get(last).key, sample.key)) {
          Sample other = distinct.get(last);
          int tree = other.tree == sample.tree ? sample.tree : SEVERAL;
          distinct.set(last, new Sample(sample.key, tree, other.bytes + sample.bytes));
        } else {
          distinct.add(sample);
        }
      }
      return distinct;
    }
  }
}
