package io.sifr.internal.state;

/** What writers ask of the flushes. */
public interface Flushes {
  /** Looks for write buffers to flush: one has become immutable. */
  void wake();

  /** Waits until the write buffers that are immutable now are flushed; not for later ones. */
  void awaitFlushed(DatabaseHandle database);

  /** Throws what keeps flushes from going on, if anything does. */
  void checkCanFlush();
}
