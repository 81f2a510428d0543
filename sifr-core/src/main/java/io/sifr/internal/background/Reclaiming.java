package io.sifr.internal.background;

import io.sifr.internal.sst.Sst;
import java.util.Collection;

/**
 * Deletes obsolete SSTs soon: those still in use are tried again a few milliseconds later.
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

  /**
   * Retires SSTs that no view shows any more, after the edit that makes them obsolete is durable
   * (I4).
   */
  public void retire(Collection<Sst> obsolete) {
    obsoleteFiles.retire(obsolete);
  }

  /** Reclaims on the background thread. */
  public void reclaimSoon() {
    threads.executeLater(this::reclaim, 0);
  }

  /** Deletes what is no longer read, and schedules another attempt for the remainder. */
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
