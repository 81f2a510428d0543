package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import org.jspecify.annotations.Nullable;

/**
 * Where in a tree the cells of some {@link Pivots} begin, so that a search that knows the cell has
 * hardly anything left to search. A tree much smaller than there are cells has hints for each
 * second, fourth, … of them: some for each slice are enough. Immutable; safe for any thread.
 */
final class TreeHints {
  /** More hints than so many for a slice of a tree save nothing. */
  private static final int HINTS_PER_SLICE = 8;

  private final LogicalTree tree;
  private final Pivots pivots;

  /** The hints are for groups of 2 to the power of this cells. */
  private final int shift;

  /** Positions with which the groups begin, and behind them the last position of all. */
  private final int[] positions;

  /** Whether all keys of inner cells begin with what all keys of the tree begin with. */
  private final boolean innerCellsSharePrefix;

  /** Whether the eight bytes taken of pivots lie where those of the tree's keys do. */
  private final boolean wordsCompare;

  TreeHints(LogicalTree tree, Pivots pivots) {
    this.tree = tree;
    this.pivots = pivots;
    this.innerCellsSharePrefix = tree.fences().prefixBegins(pivots.fences());
    this.wordsCompare = tree.fences().hasPrefixOf(pivots.fences());
    int fewer = 0;
    while (pivots.count() >> fewer > HINTS_PER_SLICE * tree.slices().size()) {
      fewer++;
    }
    this.shift = fewer;
    int groups = (pivots.count() >> shift) + 1;
    this.positions = new int[groups + 1];
    for (int group = 1; group < groups; group++) {
      positions[group] = positionFrom(positions[group - 1], (group << shift) - 1);
    }
    positions[groups] = tree.lastPosition();
  }

  /**
   * Position of a pivot that has at least position {@code from}, and is not expected far from it.
   * Where words can be compared no key is touched.
   */
  private int positionFrom(int from, int pivot) {
    int last = tree.lastPosition();
    if (!wordsCompare) {
      byte[] key = pivots.key(pivot);
      return tree.position(key, 0, key.length, from, last);
    }
    long word = pivots.fences().word(pivot);
    int at = from;
    int end;
    int reach = 8;
    do {
      end = Math.min(last, at + reach);
      at = tree.fences().firstNotBelow(word, at, end);
      reach *= 2;
    } while (at == end && end < last);
    if (at == last || tree.fences().word(at) != word) {
      return at;
    }
    byte[] key = pivots.key(pivot);
    return tree.position(word, key, 0, key.length, at, last);
  }

  LogicalTree tree() {
    return tree;
  }

  /** Most boundaries that are left to a search when it knows the cell, on average over a group. */
  int fullestCell() {
    int fullest = 0;
    for (int group = 1; group < positions.length; group++) {
      fullest = Math.max(fullest, positions[group] - positions[group - 1]);
    }
    return fullest >> shift;
  }

  /** The one SST that may hold a key of that cell, or null when none can. */
  @Nullable Sst find(int cell, byte[] key, int offset, int length) {
    int group = cell >> shift;
    int from = positions[group];
    int to = positions[group + 1];
    if (from == to) {
      return tree.sstAt(from);
    }
    if (innerCellsSharePrefix && pivots.isInner(cell)) {
      long word = tree.fences().word(key, offset, length);
      return tree.sstAt(tree.position(word, key, offset, length, from, to));
    }
    return tree.sstAt(tree.position(key, offset, length, from, to));
  }
}
