package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;

/**
 * The health of an SST: readable or not, as far as is known. Only reported and counted: each access
 * tries again, and says itself what is wrong. Thread-safe.
 */
public final class SstHealth {
  private final SstFaults faults;
  private final long number;

  // All guarded by this; the first is read without.

  /** True if the last attempt to open the file failed. */
  private volatile boolean isShut;

  /** True if the index or a block was found damaged. */
  private boolean isDamaged;

  private boolean isTold;
  private boolean isCounted;

  /** Of an SST of which nothing is known. */
  SstHealth(SstFaults faults, long number) {
    this.faults = faults;
    this.number = number;
  }

  /** The file was opened. */
  public void opened() {
    if (isShut) {
      synchronized (this) {
        isShut = false;
        isTold = isDamaged;
        count(isDamaged);
      }
    }
  }

  /** The file could not be opened. */
  public void failed(SifrException why) {
    boolean isNews;
    synchronized (this) {
      isShut = true;
      isNews = note();
    }
    tell(isNews, why);
  }

  /** The index or a block is damaged. */
  public void damaged(SifrException why) {
    boolean isNews;
    synchronized (this) {
      isDamaged = true;
      isNews = note();
    }
    tell(isNews, why);
  }

  /** All of it was read, and is as it should be. */
  public void whole() {
    synchronized (this) {
      isShut = false;
      isDamaged = false;
      isTold = false;
      count(false);
    }
  }

  /** Something is damaged that is not needed to find any entry. */
  public void weakened(SifrException why) {
    faults.found(number, why);
  }

  /** The SST is no longer part of the store. */
  synchronized void ended() {
    count(false);
  }

  // Guarded by this.
  private boolean note() {
    boolean isNews = !isTold;
    isTold = true;
    count(true);
    return isNews;
  }

  // Guarded by this.
  private void count(boolean counts) {
    if (counts != isCounted) {
      isCounted = counts;
      faults.count(counts ? 1 : -1);
    }
  }

  private void tell(boolean isNews, SifrException why) {
    if (isNews) {
      faults.found(number, why);
    }
  }
}
