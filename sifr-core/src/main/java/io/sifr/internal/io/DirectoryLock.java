package io.sifr.internal.io;

/** A lock on a store directory, released by {@link #close}. */
public interface DirectoryLock extends AutoCloseable {
  /** Releases the lock. Calls after the first have no effect. */
  @Override
  void close();
}
