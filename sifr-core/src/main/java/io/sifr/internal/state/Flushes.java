package io.sifr.internal.state;

/** The flushes as writers see them. */
public interface Flushes {
  /** Starts flushing: a write buffer has become immutable. */
  void wake();

  /** Waits until all write buffers that are immutable now are flushed. */
  void awaitFlushed(DatabaseHandle database);

  /** Throws the failure that keeps flushes from running, if there is one. */
  void checkCanFlush();
}
