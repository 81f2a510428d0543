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

  /**
   * The starts of the cells of some {@link Pivots} in a tree, so that a search that knows the cell
   * has little left to search: the {@link OfChunk} of its chunks. Those of chunks that an edit has
   * not changed are taken over. Immutable; safe for any thread.
   */
  static final class TreeHints {
    private final LogicalTree tree;
    private final OfChunk[] chunks;

    /** The cells in which the chunks begin, without the first. */
    private final int[] borderCells;

    private final int fullestCell;

    /**
     * @param tree a tree that is not empty
     * @param older hints of the tree before an edit, with the same pivots; null if there are none
     */
    TreeHints(LogicalTree tree, Pivots pivots, @Nullable TreeHints older) {
      this.tree = tree;
      Map<Chunk, OfChunk> known = new HashMap<>();
      if (older != null) {
        for (OfChunk hints : older.chunks) {
          known.put(hints.chunk(), hints);
        }
      }
      List<Chunk> all = tree.chunks();
      this.chunks = new OfChunk[all.size()];
      this.borderCells = new int[chunks.length - 1];
      int fullest = 0;
      int inOneCell = 0;
      for (int i = 0; i < chunks.length; i++) {
        OfChunk hints = known.get(all.get(i));
        if (hints == null) {
          hints = new OfChunk(all.get(i), pivots);
        }
        chunks[i] = hints;
        if (i > 0) {
          borderCells[i - 1] = hints.firstCell();
          inOneCell = hints.firstCell() == chunks[i - 1].firstCell() ? inOneCell : 0;
        }
        inOneCell += hints.firstCell() == hints.lastCell() ? hints.chunk().lastPosition() : 0;
        fullest = Math.max(fullest, Math.max(inOneCell, hints.fullestCell()));
      }
      this.fullestCell = fullest;
    }

    LogicalTree tree() {
      return tree;
    }

    /** The hints of its chunks. */
    List<OfChunk> chunks() {
      return List.of(chunks);
    }

    /** The most boundaries left to search within a cell, about. */
    int fullestCell() {
      return fullestCell;
    }

    /** The one SST that may hold a key of that cell, or null when none can. */
    @Nullable Sst find(int cell, byte[] key, int offset, int length) {
      int chunk = borderCells.length == 0 ? 0 : chunk(cell, key, offset, length);
      return chunks[chunk].find(cell, key, offset, length);
    }

    /** The chunk that may hold a key: in most cells no chunk begins, and the cell names it. */
    private int chunk(int cell, byte[] key, int offset, int length) {
      int low = 0;
      int high = borderCells.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (borderCells[middle] < cell) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low < borderCells.length && borderCells[low] == cell
          ? tree.borders().cell(key, offset, length)
          : low;
    }

    /**
     * The starts of the cells of some {@link Pivots} in a chunk. A chunk with far fewer slices than
     * there are cells has hints for every second, fourth, … cell only: a few per slice are enough.
     * Immutable; safe for any thread.
     */
    static final class OfChunk {
      /** More hints per slice than this save nothing. */
      private static final int HINTS_PER_SLICE = 8;

      private final Chunk chunk;

      /** The cells in which the chunk begins and ends. */
      private final int firstCell;

      private final int lastCell;

      /** The hints are for groups of 2 to the power of this cells, from the first cell on. */
      private final int shift;

      /** Positions at which the groups begin, followed by the last position of all. */
      private final char[] positions;

      private final int fullestCell;

      OfChunk(Chunk chunk, Pivots pivots) {
        this.chunk = chunk;
        this.firstCell = cell(pivots, chunk.smallestKey());
        this.lastCell = cell(pivots, chunk.largestKey());
        int within = lastCell - firstCell;
        int fewer = 0;
        while (within >> fewer > HINTS_PER_SLICE * chunk.size()) {
          fewer++;
        }
        this.shift = fewer;
        int groups = (within >> shift) + 1;
        int last = chunk.lastPosition();
        int fullest = 0;
        this.positions = new char[groups + 1];
        for (int group = 1; group <= groups; group++) {
          positions[group] = (char) last;
          if (group < groups) {
            byte[] pivot = pivots.key(firstCell + (group << shift) - 1);
            int from = positions[group - 1];
            positions[group] = (char) chunk.positionWithin(pivot, 0, pivot.length, from, last);
          }
          fullest = Math.max(fullest, positions[group] - positions[group - 1]);
        }
        this.fullestCell = fullest >> shift;
      }

      private static int cell(Pivots pivots, byte[] key) {
        return pivots.cell(key, 0, key.length);
      }

      Chunk chunk() {
        return chunk;
      }

      int firstCell() {
        return firstCell;
      }

      int lastCell() {
        return lastCell;
      }

      /** The most boundaries left to search within a cell, averaged over a group. */
      int fullestCell() {
        return fullestCell;
      }

      /** The one SST of the chunk that may hold a key of that cell, or null when none can. */
      @Nullable Sst find(int cell, byte[] key, int offset, int length) {
        if (cell < firstCell || cell > lastCell) {
          return null;
        }
        int group = (cell - firstCell) >> shift;
        int from = positions[group];
        int to = positions[group + 1];
        if (from == to) {
          return chunk.sstAt(from);
        }
        // Keys of the cells in between lie between those of the chunk and share their prefix.
        return chunk.sstAt(
            cell > firstCell && cell < lastCell
                ? chunk.positionWithin(key, offset, length, from, to)
                : chunk.position(key, offset, length, from, to));
      }
    }
  }
}
