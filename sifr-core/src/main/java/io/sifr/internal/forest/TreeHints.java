package io.sifr.internal.forest;

import io.sifr.internal.sst.read.Sst;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The starts of the cells of some {@link Pivots} in a tree, so that a search that knows the cell
 * has little left to search: the {@link ChunkHints} of its chunks. Those of chunks that an edit has
 * not changed are taken over. Immutable; safe for any thread.
 */
final class TreeHints {
  private final LogicalTree tree;
  private final ChunkHints[] chunks;

  /** The cells in which the chunks begin, without the first. */
  private final int[] borderCells;

  private final int fullestCell;

  /**
   * @param tree a tree that is not empty
   * @param older hints of the tree before an edit, with the same pivots; null if there are none
   */
  TreeHints(LogicalTree tree, Pivots pivots, @Nullable TreeHints older) {
    this.tree = tree;
    Map<Chunk, ChunkHints> known = new HashMap<>();
    if (older != null) {
      for (ChunkHints hints : older.chunks) {
        known.put(hints.chunk(), hints);
      }
    }
    List<Chunk> all = tree.chunks();
    this.chunks = new ChunkHints[all.size()];
    this.borderCells = new int[chunks.length - 1];
    int fullest = 0;
    int inOneCell = 0;
    for (int i = 0; i < chunks.length; i++) {
      ChunkHints hints = known.get(all.get(i));
      if (hints == null) {
        hints = new ChunkHints(all.get(i), pivots);
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
  List<ChunkHints> chunks() {
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
}
