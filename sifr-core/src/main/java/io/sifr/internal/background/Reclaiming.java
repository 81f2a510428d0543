package io.sifr.internal.background;

import io.sifr.internal.sst.Sst;
import java.util.Collection;

/**
 * Has obsolete SSTs deleted soon: what a reader still uses is tried again a few milliseconds later.
 * Thread-safe.
 */
public final class Reclaiming {
  private static final long PAUSE_MILLIS = 5;

  private final ObsoleteFiles obsoleteFiles;
  private final BackgroundThreads threads;

  /** Whether another attempt is scheduled. Guarded by this. */
  private boolean isScheduled;

  /** Nothing is obsolete yet. */
  public Reclaiming(ObsoleteFiles obsoleteFiles, BackgroundThreads threads) {
    this.obsoleteFiles = obsoleteFiles;
    this.threads = threads;
  }

  /** Takes SSTs that no view shows any more, after the edit that says so is durable (I4). */
  public void retire(Collection<Sst> obsolete) {
    obsoleteFiles.retire(obsolete);
  }

  /** Deletes on the thread that does so what nobody reads any more. */
  public void reclaimSoon() {
    threads.executeLater(this::reclaim, 0);
  }

  /** Deletes what nobody reads any more, and comes back later for the remainder. */
  void reclaim() {
    boolean isRemainder = obsoleteFiles.reclaim();
    if (isRemainder) {
      synchronized (this) {
        if (!isScheduled) {
          isScheduled = true;
          threads.executeLater(this::reclaimAgain, PAUSE_MILLIS);
        }
      }
    }
  }

  private void reclaimAgain() {
    synchronized (this) {
      isScheduled = false;
    }
    reclaim();
  }
}
