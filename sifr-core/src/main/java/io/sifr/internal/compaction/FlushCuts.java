package io.sifr.internal.compaction;

import java.util.Arrays;

/** Where a flush is cut into SSTs. Immutable; safe for any thread. */
public final class FlushCuts {

  private final int[] positions;

  FlushCuts(int[] positions) {
    this.positions = positions;
  }

  /** The number of cuts: one less than the number of SSTs. */
  public int count() {
    return positions.length;
  }

  /**
   * The index, among the distinct keys of the flush, of the first key after a cut.
   *
   * @param cut 0 to {@link #count()} - 1
   * @return at least 1, and larger for each following cut
   */
  public int position(int cut) {
    return positions[cut];
  }

  @Override
  public String toString() {
    return "cuts before keys " + Arrays.toString(positions);
  }
}
