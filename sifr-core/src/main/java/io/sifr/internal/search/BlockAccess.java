package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.read.SstReader;

/**
 * The access of searches to the blocks of SSTs. The implementation in use is {@link #STORE}; tests
 * have others that count, wait, fail, and deny that a block is in memory. Safe for any thread.
 */
public interface BlockAccess {
  /** Accesses the SST itself. */
  BlockAccess STORE =
      new BlockAccess() {
        @Override
        public boolean isInMemory(SstReader reader, long block) {
          return reader.isInMemory(block);
        }

        @Override
        public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
          return reader.getFrom(
              block, probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence(), into);
        }
      };

  /** The block of an SST that may hold the probe's key, see {@link SstReader#find}. */
  static long block(SstReader reader, Lookup probe) {
    return reader.find(probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence());
  }

  /** See {@link SstReader#isInMemory}. */
  boolean isInMemory(SstReader reader, long block);

  /**
   * See {@link SstReader#getFrom}.
   *
   * @param probe the key and sequence number
   * @param into receives the answer; may be the probe itself
   */
  boolean search(SstReader reader, long block, Lookup probe, Lookup into);
}
