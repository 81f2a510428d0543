package io.sifr.internal.forest;

import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the one SST of each tree of a forest that may hold a key, with one search for all trees: a
 * key's {@link #cell} says for each tree where to look. The cost grows with the logarithm of the
 * data, and by a few nanoseconds with each tree.
 *
 * <p>The purpose is that of the cross-row hints of MatrixKV §3.4 (fractional cascading): one search
 * guides the next. There each row points to its neighbour, so the searches depend on each other,
 * and a row that changes invalidates its neighbours' pointers. Here all trees share the same {@link
 * Pivots}, a sample of their boundaries: the hints of different trees are independent, and an edit
 * keeps those of all {@link Chunk}s that it does not change. When trees change the pivots stay,
 * until they cut the data too unevenly. Then all hints are made anew, which costs a few
 * microseconds per SST that was added since.
 *
 * <p>Immutable; safe for any thread.
 */
public final class Candidates {
  /** Candidates of a forest without trees. */
  static final Candidates NONE = new Candidates(List.of(), Pivots.NONE, new TreeHints[0]);

  /**
   * Slices per pivot: with smaller cells there would be too many pivots for a processor's cache.
   */
  private static final int SLICES_PER_PIVOT = 8;

  /** New pivots are chosen when a cell has this many times its planned slices … */
  private static final int MAX_GROWTH = 4;

  /**
   * … and at least one in this many of all slices, so that choosing them costs little per added
   * slice. A search in so full a cell takes a few more steps.
   */
  private static final int MIN_PART = 64;

  private final List<LogicalTree> trees;
  private final Pivots pivots;
  private final TreeHints[] hints;

  private Candidates(List<LogicalTree> trees, Pivots pivots, TreeHints[] hints) {
    this.trees = trees;
    this.pivots = pivots;
    this.hints = hints;
  }

  /** The candidates of these trees, reusing the hints of an older forest. */
  static Candidates of(List<LogicalTree> trees, Candidates older) {
    Candidates adapted = of(trees, older.pivots, older);
    return adapted.isUneven() ? of(trees, pivots(trees), NONE) : adapted;
  }

  /** Keys with which slices begin, so that in each cell about as many begin. */
  private static Pivots pivots(List<LogicalTree> trees) {
    List<byte[]> chosen = new ArrayList<>();
    int next = SLICES_PER_PIVOT / 2;
    for (LogicalTree tree : trees) {
      int slices = tree.slices().size();
      for (; next < slices; next += SLICES_PER_PIVOT) {
        chosen.add(tree.slices().get(next).smallestKey());
      }
      next -= slices;
    }
    chosen.sort(Arrays::compareUnsigned);
    return new Pivots(chosen.toArray(new byte[0][]));
  }

  private static Candidates of(List<LogicalTree> trees, Pivots pivots, Candidates known) {
    Map<Long, TreeHints> hintsOf = new HashMap<>();
    for (TreeHints hints : known.hints) {
      hintsOf.put(hints.tree().id(), hints);
    }
    TreeHints[] hints = new TreeHints[trees.size()];
    for (int i = 0; i < hints.length; i++) {
      LogicalTree tree = trees.get(i);
      TreeHints older = hintsOf.get(tree.id());
      boolean isUnchanged = older != null && older.tree().equals(tree);
      hints[i] = isUnchanged ? older : new TreeHints(tree, pivots, older);
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

  /** The cell of the key space that a key lies in, for {@link #find}. */
  public int cell(byte[] key, int offset, int length) {
    return pivots.cell(key, offset, length);
  }

  /**
   * The one SST of a tree that may hold a key, or null when none can.
   *
   * @param tree index of the tree in {@link Forest#byPriority}
   * @param cell {@link #cell} of the key
   */
  public @Nullable Sst find(int tree, int cell, byte[] key, int offset, int length) {
    return hints[tree].find(cell, key, offset, length);
  }
}
