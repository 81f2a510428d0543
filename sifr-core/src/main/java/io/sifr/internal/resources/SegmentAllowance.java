package io.sifr.internal.resources;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the bytes of log segments that stores may keep on disk, all together, to reuse them.
 * When they are all taken, a store that has neither kept nor reused a segment for a minute deletes
 * its own.
 *
 * <p>Thread-safe.
 */
public final class SegmentAllowance {
  /** A keeper of segments. */
  public interface Keeper {
    /** Has it delete what it keeps. Called with locks held: leaves the work to other threads. */
    void deleteSoon();
  }

  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final long most;
  private final LongSupplier nanoTime;

  /** Those that keep any, the one that has done nothing for longest first. Guarded by this. */
  private final Map<Keeper, Kept> keepers = new LinkedHashMap<>();

  /** Bytes of all that is kept. Guarded by this. */
  private long bytes;

  /** The bytes that one keeps, and the time at which that changed last. */
  private record Kept(long bytes, long since) {}

  /**
   * @param most bytes
   */
  public SegmentAllowance(long most) {
    this(most, System::nanoTime);
  }

  SegmentAllowance(long most, LongSupplier nanoTime) {
    this.most = most;
    this.nanoTime = nanoTime;
  }

  /** Whether a segment may be kept; it counts until {@link #giveBack}. */
  public boolean take(Keeper keeper, long segmentBytes) {
    Keeper idle;
    synchronized (this) {
      if (segmentBytes <= most - bytes) {
        change(keeper, segmentBytes);
        return true;
      }
      idle = idle(keeper);
    }
    if (idle != null) {
      idle.deleteSoon();
    }
    return false;
  }

  /** A segment is reused or deleted. */
  public synchronized void giveBack(Keeper keeper, long segmentBytes) {
    change(keeper, -segmentBytes);
  }

  private void change(Keeper keeper, long more) {
    Kept before = keepers.remove(keeper);
    long after = (before == null ? 0 : before.bytes()) + more;
    bytes += more;
    if (after > 0) {
      keepers.put(keeper, new Kept(after, nanoTime.getAsLong()));
    }
  }

  private @Nullable Keeper idle(Keeper except) {
    for (Map.Entry<Keeper, Kept> entry : keepers.entrySet()) {
      if (entry.getKey() != except) {
        boolean isIdle = nanoTime.getAsLong() - entry.getValue().since() >= IDLE_NANOS;
        return isIdle ? entry.getKey() : null;
      }
    }
    return null;
  }

  /** Bytes of all that is kept. */
  public synchronized long bytes() {
    return bytes;
  }
}
