package io.sifr.internal.entry;

/** The places of lower priority than all that is merged, as far as a tombstone must know them. */
@FunctionalInterface
public interface OlderPlaces {
  /**
   * Whether one of them may hold an entry of that key. A wrong "yes" keeps a tombstone longer than
   * needed; a wrong "no" brings a deleted key back. Asked with ascending keys.
   */
  boolean mayHold(byte[] key, int offset, int length);
}
