package io.sifr.internal.compaction.run;

import io.sifr.error.SifrException;
import io.sifr.internal.state.Setup;
import java.util.function.IntSupplier;

/**
 * How many bytes of SSTs a compaction may write before it commits them and deletes the inputs they
 * replace (early cleaning, TPDS §4.3). Each commit syncs the manifest, so they are as many as the
 * options allow while there is space: the uncommitted output of all compactions together takes at
 * most a quarter of the free space, so when that is short, every single SST is committed.
 *
 * <p>Thread-safe.
 */
public final class CleaningThreshold {
  private static final int SHARE_OF_FREE_SPACE = 4;

  private final Setup setup;
  private final IntSupplier runningCompactions;

  public CleaningThreshold(Setup setup, IntSupplier runningCompactions) {
    this.setup = setup;
    this.runningCompactions = runningCompactions;
  }

  /** Whether compactions commit before they end. */
  public boolean isEnabled() {
    return setup.options().earlyCleaning();
  }

  /** The threshold at this moment; 0: every single SST is committed. */
  public long currentBytes() {
    if (!isEnabled()) {
      return Long.MAX_VALUE;
    }
    try {
      long free = setup.fileSystem().usableBytes(setup.directory()) / SHARE_OF_FREE_SPACE;
      return Math.min(
          setup.tuning().cleaningThresholdBytes(),
          free / Math.max(1, runningCompactions.getAsInt()));
    } catch (SifrException e) {
      // The free space is unknown: better to sync too often than to run out of it.
      return 0;
    }
  }
}
