package io.sifr.internal.io;

/** A lock on a store directory, given back by {@link #close}. */
public interface DirectoryLock extends AutoCloseable {
  /** Gives the lock back. It can be called more than once. */
  @Override
  void close();
}
