package io.sifr.internal.compaction;

import io.sifr.internal.sst.Sst;

/**
 * Takes over what a {@link PartTask} has done, piece by piece, in key order. Called by the task's
 * thread.
 */
public interface PartProgress {
  /**
   * The task wrote an SST. Its content is durable and was read back, its name is not durable; it is
   * open, and the receiver's from now on, even when this throws.
   */
  void written(Sst sst);

  /** An input SST belongs to the output as it is. */
  void moved(Sst sst);

  /** An SST of the output tree, which is an input too, stays there as it is. */
  void stays(Sst sst);

  /**
   * The task has come through a part of its span.
   *
   * @param frontier whatever the inputs hold at or below this key, within the span, is in the SSTs
   *     handed over so far, or not needed
   * @param droppedEntries how many entries were not written again since the last call
   */
  void reached(byte[] frontier, long droppedEntries);
}
