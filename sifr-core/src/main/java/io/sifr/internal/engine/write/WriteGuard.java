package io.sifr.internal.engine.write;

/** Decides whether a write happens. */
public interface WriteGuard {
  /**
   * Called when there is room for the write, under the lock: what it finds is still true when the
   * write becomes visible. Called again if the log fails then, and another takes its place. It must
   * not wait for anything. When it throws, nothing is written either.
   */
  boolean allows();
}
