package io.sifr.internal.compaction.merge;

import io.sifr.internal.sst.read.Sst;

/**
 * Receives the output of a {@link PartTask}, piece by piece, in key order. Called by the task's
 * thread.
 */
public interface PartProgress {
  /**
   * The task is about to write an SST; it ends with {@link #written}, or with the task.
   *
   * @param bytes about its size
   * @param isLast whether it is the last one of some inputs, which are then replaced as a whole
   * @throws io.sifr.error.StoreFullException if there is no space for it
   */
  void begins(long bytes, boolean isLast);

  /**
   * The task wrote an SST. Its content is durable and was read back, its name is not durable; it is
   * open, and belongs to the receiver from now on, even when this throws.
   */
  void written(Sst sst);

  /** An input SST is moved to the output as it is. */
  void moved(Sst sst);

  /** An SST stays as it is in the output tree, which is an input too. */
  void stays(Sst sst);

  /**
   * The task has merged a part of its span.
   *
   * @param frontier whatever the inputs hold at or below this key, within the span, is in the SSTs
   *     handed over so far, or not needed
   * @param droppedEntries how many entries were not written again since the last call
   */
  void reached(byte[] frontier, long droppedEntries);
}
