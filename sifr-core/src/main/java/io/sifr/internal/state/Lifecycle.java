package io.sifr.internal.state;

/**
 * Whether a store is open, is being closed, or is closed. Its parts ask it, so that none of them
 * needs the store itself; and since each open store has one of its own, it also tells the stores of
 * two databases apart. Thread-safe.
 */
public class Lifecycle {
  private enum Phase {
    OPEN,
    CLOSING,
    CLOSED
  }

  private volatile Phase phase = Phase.OPEN;

  /** That of a store that is open. */
  public Lifecycle() {}

  /** From now on no call of a user begins, and compactions stop; reads go on. */
  public void beginClosing() {
    phase = Phase.CLOSING;
  }

  /**
   * From now on no read begins: readers ask inside their epoch, so that nobody reads any more once
   * the epochs of those that are under way are over.
   */
  public void close() {
    phase = Phase.CLOSED;
  }

  /** Whether background work is to stop. */
  public boolean isClosing() {
    return phase != Phase.OPEN;
  }

  /**
   * For calls that begin something.
   *
   * @throws IllegalStateException unless the store is open
   */
  public void checkOpen() {
    if (phase != Phase.OPEN) {
      throw closedException();
    }
  }

  /**
   * For reads.
   *
   * @throws IllegalStateException when the store is closed
   */
  public void checkNotClosed() {
    if (phase == Phase.CLOSED) {
      throw closedException();
    }
  }

  /** What a call gets that comes too late. */
  public static IllegalStateException closedException() {
    return new IllegalStateException("the store is closed");
  }
}
