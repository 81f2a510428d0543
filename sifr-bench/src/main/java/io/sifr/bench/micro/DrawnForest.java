package io.sifr.bench.micro;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.util.stream.IntStream;

/**
 * A forest without files, with the shape that results from random writes with a growth factor of
 * four and a write buffer of 4 MiB: trees are spread evenly over eight stages, beginning with the
 * last; each is four times the size of those in the previous stage.
 */
final class DrawnForest {
  private static final int STAGES = 8;
  private static final int ENTRIES_PER_MIB = 7_500;

  /** An SST spans this many of the keys that are drawn; more would be too many for a terabyte. */
  private static final int KEYS_PER_SST = 1_000;

  private DrawnForest() {}

  /**
   * A forest.
   *
   * @param gigabytes its size on disk, if it had files
   * @param sstMib the size of each SST
   * @param trees number of trees
   */
  static Forest of(int gigabytes, int sstMib, int trees) {
    long parts = IntStream.range(0, trees).mapToLong(i -> treeParts(stage(i))).sum();
    double ssts = 1024.0 * gigabytes / sstMib;
    Forest forest = Forest.empty(1, "default");
    for (int i = 0; i < trees; i++) {
      int size = (int) Math.max(1, ssts * treeParts(stage(i)) / parts);
      forest = forest.withTree(stage(i), tree(1 + i, sstMib, size));
    }
    return forest;
  }

  private static int stage(int index) {
    return STAGES - index % STAGES;
  }

  private static long treeParts(int stage) {
    return 1L << (2 * (stage - 1));
  }

  /** A tree of that many SSTs, whose keys differ from those of trees with other ids. */
  static LogicalTree tree(int id, int sstMib, int ssts) {
    Entries entries = new Entries(ssts * KEYS_PER_SST, id);
    return new LogicalTree(
        id, IntStream.range(0, ssts).mapToObj(index -> sst(id, entries, sstMib, index)).toList());
  }

  private static Sst sst(int tree, Entries entries, int sstMib, int index) {
    int first = index * KEYS_PER_SST;
    int last = first + KEYS_PER_SST - 1;
    return new Sst(
        new SstMeta(
            new SstMeta.Identity(((long) tree << 32) + index, 1, (long) sstMib << 20, 0),
            new SstMeta.Keys(entries.key(first), entries.key(last)),
            new SstMeta.Counts((long) ENTRIES_PER_MIB * sstMib, 0, 0, (long) sstMib << 19),
            new SstMeta.Sequences(0, 1, 1),
            SstMeta.Times.UNKNOWN));
  }
}
