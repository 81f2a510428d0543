package io.sifr.config;

/**
 * The failures that a write survives once the call has returned. All writes form one order; after a
 * crash the store holds everything up to some write of that order and nothing after it (except with
 * {@link #NONE}), and batches as a whole or not at all.
 */
public enum Durability {
  /**
   * No log. A killed process or a power loss loses the write and everything else written this way
   * since the last completed flush; {@link io.sifr.config.Durability#BUFFERED} writes made at the
   * same time are kept, so mixing the two can leave gaps. A batch over several databases is lost as
   * a whole, too: whatever flushes one of them flushes the others in the same step.
   */
  NONE,
  /**
   * The write is in the operating system's memory: a killed process loses nothing. A power loss or
   * a kernel crash may lose the most recent writes, never one from the middle. Costs a copy.
   */
  BUFFERED,
  /**
   * The write is on the device: neither a killed process nor a power loss loses it. Costs one sync,
   * shared by all threads that wait for one at the same time.
   */
  SYNC
}
