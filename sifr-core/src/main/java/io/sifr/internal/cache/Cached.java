package io.sifr.internal.cache;

/**
 * Something that takes memory and that a {@link BlockCache} may drop. It is equal to nothing else,
 * but its hash code should be that of the object which takes its place when it is read again: by
 * hash codes the cache remembers how often something was used before it was dropped. Thread-safe.
 */
public interface Cached {
  /** The memory it takes. */
  int bytes();

  /** Called once, when the cache keeps it no longer. */
  void evicted();
}
