package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.KeySketch;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The space of a forest that compacting its trees would free, estimated from the samples of keys
 * that the manifest has of each SST ({@link KeySketch}): older versions of keys of which a newer
 * tree has a version, and tombstones of all trees but the oldest. A pure function of the forest,
 * without I/O.
 *
 * <p>What cannot be freed counts as live: the versions of a key in one tree, of which more than one
 * is there only if a snapshot needed them; tombstones of the oldest tree, for the same reason; what
 * range tombstones hide, which is freed in another way. An entry counts for as many bytes as the
 * entries of its tree have on average.
 *
 * <p>Values in value files that such entries refer to are <em>hidden</em>. Compacting the trees
 * does not free them, but nothing refers to them then.
 */
public final class SpaceEstimate {
  /** More keys would hardly make it more accurate. */
  private static final int MOST_KEYS = 1 << 14;

  /**
   * A key, the index of a tree, and whether the version is a tombstone are sorted as one number.
   */
  private static final int TREE_BITS = Long.SIZE - 1 - KeySketch.HASH_BITS - 1;

  private static final int MOST_TREES = 1 << TREE_BITS;

  private final long bytes;

  /** By the index of the newest of the trees that are compacted: dead bytes of these. */
  private final double[] dead;

  private final long valueBytes;

  /** By the same index: bytes of hidden values. */
  private final double[] hidden;

  private SpaceEstimate(long bytes, double[] dead, long valueBytes, double[] hidden) {
    this.bytes = bytes;
    this.dead = dead;
    this.valueBytes = valueBytes;
    this.hidden = hidden;
  }

  /** The estimate for a forest. */
  public static SpaceEstimate of(Forest forest) {
    List<LogicalTree> trees = forest.byPriority();
    double[] dead = new double[trees.size() + 1];
    double[] hidden = new double[trees.size() + 1];
    double[] values = trees.stream().mapToDouble(tree -> tree.values().referredBytes()).toArray();
    double valueBytes = DoubleStream.of(values).sum();
    List<List<KeySketch>> sketches = trees.stream().map(LogicalTree::sketches).toList();
    addDead(sketches, trees.stream().mapToDouble(LogicalTree::bytes).toArray(), dead);
    if (valueBytes > 0) {
      addDead(sketches, values, hidden);
    }
    return new SpaceEstimate(forest.bytes(), dead, (long) valueBytes, hidden);
  }

  /**
   * How many of the entries of several trees, or of parts of them, compacting all of them would
   * drop.
   *
   * @param sketches for each of them samples that together are one, by priority
   * @param entries for each of them the number of its entries
   */
  public static double deadEntries(List<List<KeySketch>> sketches, double[] entries) {
    double[] dead = new double[entries.length + 1];
    addDead(sketches, entries, dead);
    return dead[0];
  }

  private static void addDead(List<List<KeySketch>> sketches, double[] sizes, double[] dead) {
    if (sizes.length > 1 && sizes.length < MOST_TREES) {
      new Sample(sketches, sizes).addDead(dead);
    }
  }

  /** Bytes of all SSTs. */
  public long bytes() {
    return bytes;
  }

  /** Bytes of them that are left if all trees are compacted. */
  public long liveBytes() {
    return bytes - deadBytes();
  }

  /** Bytes of them that are not. */
  public long deadBytes() {
    return deadBytesFrom(0);
  }

  /**
   * Bytes that compacting a tree with all older ones would free.
   *
   * @param index of the tree, in order of priority
   */
  long deadBytesFrom(int index) {
    return Math.round(dead[index]);
  }

  /** Bytes in value files that entries refer to which are not dead. */
  public long liveValueBytes() {
    return valueBytes - hiddenValueBytes();
  }

  /** Bytes in value files that only dead entries refer to. */
  public long hiddenValueBytes() {
    return hiddenValueBytesFrom(0);
  }

  /**
   * Bytes in value files that nothing would refer to if a tree were compacted with all older ones.
   *
   * @param index of the tree, in order of priority
   */
  long hiddenValueBytesFrom(int index) {
    return Math.round(hidden[index]);
  }

  /** The sampled keys of all trees. */
  private static final class Sample {
    private final int trees;

    /** Ascending: for each key its versions, newest first. */
    private final long[] versions;

    /** The part of its tree's size that a sampled key stands for. */
    private final double[] weights;

    Sample(List<List<KeySketch>> sketches, double[] sizes) {
      trees = sizes.length;
      weights = new double[trees];
      int level = level(sketches.stream().flatMap(Collection::stream).toList());
      versions = new long[sketches.stream().mapToInt(tree -> KeySketch.size(tree, level)).sum()];
      int count = 0;
      for (int tree = 0; tree < trees; tree++) {
        int before = count;
        for (KeySketch sketch : sketches.get(tree)) {
          int size = sketch.sizeAt(level);
          for (int i = 0; i < size; i++) {
            versions[count++] = version(sketch.get(i), tree);
          }
        }
        weights[tree] = sizes[tree] / Math.max(1, count - before);
      }
      Arrays.sort(versions);
    }

    /** The lowest level that all samples have, and at which they are not too large. */
    private static int level(List<KeySketch> sketches) {
      int level = sketches.stream().mapToInt(KeySketch::level).max().orElse(0);
      while (level < KeySketch.HASH_BITS && KeySketch.size(sketches, level) > MOST_KEYS) {
        level++;
      }
      return level;
    }

    private static long version(long sampled, int tree) {
      return ((sampled >>> 1) << (TREE_BITS + 1)) | ((long) tree << 1) | (sampled & 1);
    }

    /** Adds what is dead if all trees from each index on are compacted. */
    void addDead(double[] dead) {
      int last = trees - 1;
      long before = -1;
      for (long version : versions) {
        int tree = (int) (version >>> 1) & (MOST_TREES - 1);
        boolean isTombstone = (version & 1) != 0;
        if (isTombstone && tree < last) {
          dead[tree] += weights[tree];
        } else if (before >= 0 && before >>> (TREE_BITS + 1) == version >>> (TREE_BITS + 1)) {
          int newer = (int) (before >>> 1) & (MOST_TREES - 1);
          if (newer < tree) {
            dead[newer] += weights[tree];
          }
        }
        before = version;
      }
      for (int i = last - 1; i >= 0; i--) {
        dead[i] += dead[i + 1];
      }
    }
  }
}
