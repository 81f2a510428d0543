package io.sifr.internal.forest;

import io.sifr.internal.sst.read.Sst;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where in a tree the cells of some {@link Pivots} begin, so that a search that knows the cell has
 * little left to search: the {@link OfChunk} of its chunks. Those of chunks that an edit has not
 * changed are taken over. Immutable; safe for any thread.
 */
final class TreeHints {
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

  /** The chunk that may hold a key: in most cells no chunk begins, and the cell tells it. */
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
   * Where in a chunk the cells of some {@link Pivots} begin. A chunk with far fewer slices than
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
