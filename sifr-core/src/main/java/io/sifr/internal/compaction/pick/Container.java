package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;

/**
 * The trees of the first stage are the rows of a container on a fast device (MatrixKV, §3.1). When
 * they have filled most of it they leave it, and while that lasts, flushes fill the rest.
 *
 * @param bytes of the files of all rows together, at most
 */
record Container(long bytes) {
  /** The part that is filled when rows begin to leave. */
  private static final double MOST = 0.6;

  /** So full it may be while rows leave it. */
  private static final double NORMAL = 0.8;

  /** More than it can hold: these rows are on the slow device. */
  private static final double MOST_BEHIND = 1.2;

  /** Each row is looked into by reads, however small it is. */
  private static final int MOST_ROWS = 64;

  /** How full it is; from 1 on, rows are to leave it. */
  double fill(List<LogicalTree> rows) {
    return Math.max(bytesOf(rows) / (MOST * bytes), (double) rows.size() / MOST_ROWS);
  }

  /**
   * Writers are slowed little by little while rows fill what is left for those that come: when it
   * is full, flushes write to the slow device, beside the compactions that are behind.
   */
  double debt(Forest forest) {
    List<LogicalTree> rows = forest.stage(1);
    double full = (double) bytesOf(rows) / bytes;
    return Math.max((full - NORMAL) / (MOST_BEHIND - NORMAL), rows.size() / (2.0 * MOST_ROWS) - 1);
  }

  private static long bytesOf(List<LogicalTree> rows) {
    return rows.stream().mapToLong(LogicalTree::bytes).sum();
  }
}
