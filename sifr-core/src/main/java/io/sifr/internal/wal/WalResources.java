package io.sifr.internal.wal;

import io.sifr.internal.resources.SegmentAllowance;
import java.util.concurrent.Executor;

/**
 * What a log uses that others may use too.
 *
 * @param executor where segments are prepared ahead; it may refuse, then appends prepare them
 * @param kept which segments may be kept for reuse
 */
public record WalResources(Executor executor, SegmentAllowance kept) {
  /** An executor, and no bound on what is kept by all logs together. */
  public WalResources(Executor executor) {
    this(executor, new SegmentAllowance(Long.MAX_VALUE));
  }
}
