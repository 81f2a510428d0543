package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the one SST of each tree of a forest that may hold a key, with one search for all trees: a
 * key's {@link #cell} says of each tree where to look. So the cost grows with the logarithm of the
 * data, and with the number of trees by a few nanoseconds each.
 *
 * <p>The purpose is that of the cross-row hints of MatrixKV §3.4 (fractional cascading): one search
 * leads the next. There each row leads to its neighbour, so the searches wait for each other, and a
 * row that changes changes its neighbours' pointers. Here all trees are led by the same {@link
 * Pivots}, a sample of their boundaries: the trees' hints do not know of each other, and an edit
 * leaves those of all trees alone that it does not change. Trees change, pivots stay, until they
 * cut the data too unevenly.
 *
 * <p>Immutable; safe for any thread.
 */
public final class Candidates {
  /** Candidates of a forest without trees. */
  static final Candidates NONE = new Candidates(List.of(), Pivots.NONE, new TreeHints[0]);

  /** A pivot for so many slices: smaller cells make the pivots too many for a processor's cache. */
  private static final int SLICES_PER_PIVOT = 8;

  /** New pivots are chosen when a cell has this many times what it would have had. */
  private static final int MAX_GROWTH = 4;

  /**
   * Nor are they before a cell has this part of all slices, so that choosing them costs little for
   * each slice that came.
   */
  private static final int MIN_PART = 256;

  private final List<LogicalTree> trees;
  private final Pivots pivots;
  private final TreeHints[] hints;

  private Candidates(List<LogicalTree> trees, Pivots pivots, TreeHints[] hints) {
    this.trees = trees;
    this.pivots = pivots;
    this.hints = hints;
  }

  /** The candidates of these trees, using what those of an older forest know. */
  static Candidates of(List<LogicalTree> trees, Candidates older) {
    Candidates adapted = of(trees, older.pivots, older);
    return adapted.isUneven() ? of(trees, Pivots.choose(trees, SLICES_PER_PIVOT), NONE) : adapted;
  }

  private static Candidates of(List<LogicalTree> trees, Pivots pivots, Candidates known) {
    Map<LogicalTree, TreeHints> hintsOf = new HashMap<>();
    for (TreeHints hints : known.hints) {
      hintsOf.put(hints.tree(), hints);
    }
    TreeHints[] hints = new TreeHints[trees.size()];
    for (int i = 0; i < hints.length; i++) {
      hints[i] = hintsOf.computeIfAbsent(trees.get(i), tree -> new TreeHints(tree, pivots));
    }
    return new Candidates(trees, pivots, hints);
  }

  private boolean isUneven() {
    int slices = 0;
    int fullest = 0;
    for (TreeHints tree : hints) {
      slices += tree.tree().slices().size();
      fullest = Math.max(fullest, tree.fullestCell());
    }
    int boundaries = 2 * Math.max(MAX_GROWTH * SLICES_PER_PIVOT, slices / MIN_PART);
    return fullest > boundaries
        || pivots.count() / MAX_GROWTH > Math.max(1, slices / SLICES_PER_PIVOT);
  }

  /** Whether these are the candidates of the forest with that list of trees. */
  @SuppressWarnings("ReferenceEquality") // asked with each query, so it must not look into the list
  boolean areOf(List<LogicalTree> asked) {
    return asked == trees;
  }

  Pivots pivots() {
    return pivots;
  }

  List<TreeHints> hints() {
    return List.of(hints);
  }

  /** Number of trees. */
  public int trees() {
    return hints.length;
  }

  /** What {@link #find} has to know of a key: the stretch of the key space it lies in. */
  public int cell(byte[] key, int offset, int length) {
    return pivots.cell(key, offset, length);
  }

  /**
   * The one SST of a tree that may hold a key, or null when none can.
   *
   * @param tree the tree, by its place in {@link Forest#byPriority}
   * @param cell {@link #cell} of the key
   */
  public @Nullable Sst find(int tree, int cell, byte[] key, int offset, int length) {
    return hints[tree].find(cell, key, offset, length);
  }
}
