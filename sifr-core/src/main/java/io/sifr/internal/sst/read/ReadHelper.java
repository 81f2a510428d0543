package io.sifr.internal.sst.read;

/** Does reads in the background while an iterator processes the blocks it has. Thread-safe. */
public interface ReadHelper {
  /** Every iterator does its reads itself. */
  ReadHelper NONE = read -> false;

  /**
   * Hands a read to another thread, if it is worth it and a thread is free.
   *
   * @param read must not throw
   * @return false when no thread will do it
   */
  boolean tryRun(Runnable read);
}
