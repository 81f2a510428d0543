package io.sifr.internal.sst.block;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The share of the blocks wanted by searches that are in mapped pages which the system has to read
 * first. The system knows of a block whether it is in memory, but to ask takes about as long as the
 * search of a block in memory. So it is asked about one block in a thousand as long as nearly all
 * are in memory, and about each of them while more are not: to read one takes a hundred times as
 * long.
 *
 * <p>Thread-safe. When two threads write at once, one of the answers is lost, which is harmless.
 */
public final class ColdPages {
  private static final int SAMPLED_ONE_IN = 1024;

  private static final int ALL = 1 << 16;

  /**
   * From this share on, each block is asked about: one cold block costs more than asking so many.
   */
  private static final int MANY = ALL / 64;

  private static final int WEIGHT_OF_OLD = 31;

  /** A moving average over the answers: how many of {@link #ALL} are cold. */
  private volatile int share = ALL; // of a store that was just opened nothing is known

  /** Whether to ask about the next block. */
  public boolean isAsked() {
    return share >= MANY || ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0;
  }

  /** Called with the answer for a block that was asked about. */
  public void answered(boolean isCold) {
    int before = share;
    int after = (before * WEIGHT_OF_OLD + (isCold ? ALL : 0)) / (WEIGHT_OF_OLD + 1);
    if (after != before) {
      share = after;
    }
  }
}
