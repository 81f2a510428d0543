package io.sifr.internal.sst;

/** Has reads done by another thread while a walk is busy with what it has. Thread-safe. */
public interface ReadHelper {
  /** Every walk does its reads itself. */
  ReadHelper NONE = read -> false;

  /**
   * Has a read done soon, if it is worth it and somebody is free.
   *
   * @param read must not throw
   * @return false when nobody will do it
   */
  boolean tryRun(Runnable read);
}
