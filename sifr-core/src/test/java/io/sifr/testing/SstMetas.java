package io.sifr.testing;

import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;

/** Metadata of SSTs in a line, for tests in which most of it does not matter. */
public final class SstMetas {
  private SstMetas() {}

  /** Metadata of all that {@link SstMeta} has, in the order in which the manifest has it. */
  public static SstMeta of(
      long number,
      long uniqueId,
      long fileBytes,
      long entries,
      long tombstones,
      long rangeTombstones,
      long rawBytes,
      long baseSequence,
      long minSequence,
      long maxSequence,
      byte[] smallestKey,
      byte[] largestKey) {
    return new SstMeta(
        new SstMeta.Identity(number, uniqueId, fileBytes, 0),
        new SstMeta.Keys(smallestKey, largestKey, KeySketch.NONE),
        new SstMeta.Counts(entries, tombstones, rangeTombstones, rawBytes),
        new SstMeta.Sequences(baseSequence, minSequence, maxSequence),
        SstMeta.Times.UNKNOWN);
  }
}
