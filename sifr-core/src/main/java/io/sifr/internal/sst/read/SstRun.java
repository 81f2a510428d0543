package io.sifr.internal.sst.read;

import java.util.List;

/**
 * Slices of SSTs with disjoint key ranges, in ascending order: a logical tree, or a part of one.
 */
public interface SstRun {
  /** The slices in ascending order. */
  List<SstSlice> slices();

  /**
   * Index of the first slice with keys at or after {@code key}; the number of slices when there is
   * none.
   */
  int firstEndingAtOrAfter(byte[] key, int offset, int length);

  /**
   * Index of the last slice whose smallest key is at or before {@code key}; -1 when there is none.
   */
  int lastBeginningAtOrBefore(byte[] key, int offset, int length);
}
