package io.sifr.internal.filter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the answers of filters. Each thread counts in cells chosen by its id, which lie on cache
 * lines of their own, with plain loads and stores: an atomic addition would cost as much as the
 * probe it counts. Two threads that share a cell may lose each other's counts; there are at least
 * four cells per processor.
 */
public final class FilterCounts {
  private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

  /** Longs per cell: two cache lines, since processors fetch them in pairs. */
  private static final int CELL_LONGS = 16;

  private static final int MIN_CELLS = 64;
  private static final int REJECTS = 0;
  private static final int FALSE_POSITIVES = 1;

  private final int cellMask;

  /** Counter w of cell c is at (c + 1) * CELL_LONGS + w. */
  private final long[] cells;

  /** Nothing is counted yet. */
  public FilterCounts() {
    int wanted = Math.max(MIN_CELLS, 8 * Runtime.getRuntime().availableProcessors());
    cellMask = Integer.highestOneBit(wanted) - 1;
    cells = new long[(cellMask + 2) * CELL_LONGS];
  }

  /** A filter answered that its SST does not hold the key. */
  public void rejected() {
    count(REJECTS);
  }

  /** A filter answered that its SST may hold the key, and the SST did not: a false positive. */
  public void falsePositive() {
    count(FALSE_POSITIVES);
  }

  private void count(int what) {
    int at = (((int) Thread.currentThread().getId() & cellMask) + 1) * CELL_LONGS + what;
    CELLS.setOpaque(cells, at, (long) CELLS.getOpaque(cells, at) + 1);
  }

  /** Number of lookups that a filter answered with no. */
  public long rejects() {
    return sum(REJECTS);
  }

  /** Number of false positives. */
  public long falsePositives() {
    return sum(FALSE_POSITIVES);
  }

  private long sum(int what) {
    long sum = 0;
    for (int cell = 0; cell <= cellMask; cell++) {
      sum += (long) CELLS.getOpaque(cells, (cell + 1) * CELL_LONGS + what);
    }
    return sum;
  }
}
