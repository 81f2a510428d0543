package io.sifr.internal.sst.block;

import io.sifr.error.SifrException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts a store's SSTs that cannot be read, or not as a whole, and notifies a listener of each.
 * Thread-safe.
 */
public final class SstFaults {
  /** Is notified of faults. */
  public interface Listener {
    /**
     * Called when a fault is found, once until its SST can be opened again, by the thread that has
     * found it, which holds locks: it must be quick and must not call the store.
     *
     * @param number the SST
     * @param why the exception that callers get who need what cannot be read
     */
    void found(long number, SifrException why);
  }

  private final AtomicInteger unusable = new AtomicInteger();
  private volatile Listener listener = (number, why) -> {};

  /**
   * Number of SSTs that could not be opened at the last attempt, or of which a part was found
   * damaged.
   */
  public int unusable() {
    return unusable.get();
  }

  /** Notifies a listener from now on. */
  public void tell(Listener told) {
    this.listener = told;
  }

  void found(long number, SifrException why) {
    listener.found(number, why);
  }

  /** Changes the number of unusable SSTs. */
  void count(int more) {
    unusable.addAndGet(more);
  }
}
