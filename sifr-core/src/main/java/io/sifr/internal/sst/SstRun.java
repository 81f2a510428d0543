package io.sifr.internal.sst;

import java.util.List;

/**
 * Slices of SSTs, of disjoint key ranges in ascending order, and where in them a key belongs: a
 * logical tree, or a piece of one.
 */
public interface SstRun {
  /** The slices in ascending order. */
  List<SstSlice> slices();

  /**
   * Index of the first slice that holds keys at or behind {@code key}; the number of slices when
   * there is none.
   */
  int firstEndingAtOrBehind(byte[] key, int offset, int length);

  /**
   * Index of the last slice whose smallest key is at or before {@code key}; -1 when there is none.
   */
  int lastBeginningAtOrBefore(byte[] key, int offset, int length);
}
