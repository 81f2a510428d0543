package io.sifr.internal.util;

/** Checks a file of an open store, a small step at a time. For one thread at a time. */
public interface Scrub {
  /**
   * Whether all is checked, or no more of it can be, or the file is no longer part of the store.
   */
  boolean isDone();

  /** How many steps have failed because something could not be read. */
  int failures();

  /**
   * Makes the next step. Damage is reported, not thrown.
   *
   * @param goesOn called before each read; the step ends with what it throws
   * @return bytes read
   * @throws io.sifr.error.StoreIoException when something cannot be read; the step may be tried
   *     again
   */
  long step(Runnable goesOn);
}
