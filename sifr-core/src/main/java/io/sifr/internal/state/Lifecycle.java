package io.sifr.internal.state;

/**
 * The state of a store: open, closing, or closed. The parts of a store check it, so that none of
 * them needs the store itself; since each open store has its own, it also shows whether two
 * databases belong to the same store. Thread-safe.
 */
public class Lifecycle {
  private enum Phase {
    OPEN,
    CLOSING,
    CLOSED
  }

  private volatile Phase phase = Phase.OPEN;

  /** The lifecycle of an open store. */
  public Lifecycle() {}

  /** From now on calls other than reads are rejected, and compactions stop. */
  public void beginClosing() {
    phase = Phase.CLOSING;
  }

  /**
   * From now on no read begins: reads check inside their epoch, so that none is left once the
   * epochs of those in progress have ended.
   */
  public void close() {
    phase = Phase.CLOSED;
  }

  /** Whether background work is to stop. */
  public boolean isClosing() {
    return phase != Phase.OPEN;
  }

  /**
   * Check for calls that begin something.
   *
   * @throws IllegalStateException unless the store is open
   */
  public void checkOpen() {
    if (phase != Phase.OPEN) {
      throw closedException();
    }
  }

  /**
   * Check for reads.
   *
   * @throws IllegalStateException when the store is closed
   */
  public void checkNotClosed() {
    if (phase == Phase.CLOSED) {
      throw closedException();
    }
  }

  /** The exception for calls after the store was closed. */
  public static IllegalStateException closedException() {
    return new IllegalStateException("the store is closed");
  }
}
