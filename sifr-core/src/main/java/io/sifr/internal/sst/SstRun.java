package io.sifr.internal.sst;

import java.util.List;

/**
 * SSTs of disjoint key ranges in ascending order, and where in them a key belongs: a logical tree,
 * or a piece of one.
 */
public interface SstRun {
  /** The SSTs in ascending order. */
  List<Sst> ssts();

  /**
   * Index of the first SST that holds keys at or behind {@code key}; the number of SSTs when there
   * is none.
   */
  int firstEndingAtOrBehind(byte[] key, int offset, int length);

  /**
   * Index of the last SST whose smallest key is at or before {@code key}; -1 when there is none.
   */
  int lastBeginningAtOrBefore(byte[] key, int offset, int length);
}
