package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import org.jspecify.annotations.Nullable;

/**
 * Where in a tree the cells of some {@link Pivots} begin, so that a search that knows the cell has
 * little left to search. A tree with far fewer slices than there are cells has hints for every
 * second, fourth, … cell only: a few per slice are enough. Immutable; safe for any thread.
 */
final class TreeHints {
  /** More hints per slice than this save nothing. */
  private static final int HINTS_PER_SLICE = 8;

  private final LogicalTree tree;
  private final Pivots pivots;

  /** The hints are for groups of 2 to the power of this cells. */
  private final int shift;

  /** Positions at which the groups begin, followed by the last position of all. */
  private final int[] positions;

  /** Whether all keys of inner cells begin with the prefix that the tree's keys share. */
  private final boolean innerCellsSharePrefix;

  /**
   * Whether the eight bytes of pivots were taken at the same offset as those of the tree's keys.
   */
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
   * Position of a pivot, which is at least {@code from} and probably close to it. Where words can
   * be compared, no key is read.
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

  /** The most boundaries left to search within a cell, averaged over a group. */
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
