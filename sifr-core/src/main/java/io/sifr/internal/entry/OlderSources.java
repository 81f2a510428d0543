package io.sifr.internal.entry;

/**
 * The sources of lower priority than the inputs of a compaction, which decide whether a tombstone
 * must be kept.
 */
@FunctionalInterface
public interface OlderSources {
  /**
   * Whether one of them may hold an entry of that key. A wrong "yes" keeps a tombstone longer than
   * needed; a wrong "no" brings a deleted key back. Called with ascending keys.
   */
  boolean mayHold(byte[] key, int offset, int length);
}
