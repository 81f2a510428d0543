package io.sifr.internal.compaction.cut;

import io.sifr.error.SifrException;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Roughly how the data of a compaction are spread over the keys: keys of the inputs, each with the
 * bytes that one SST holds from it to its next one. They come from the indexes of the SSTs, which
 * the compaction reads anyway. Not thread-safe.
 */
public final class KeySamples {
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
   * The samples of the inputs; none when an index cannot be read, which the compaction will report.
   *
   * @throws io.sifr.internal.sst.read.OutdatedRunException when an SST is gone
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

  /** About the bytes from sample to sample, for a compaction of that many. */
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
