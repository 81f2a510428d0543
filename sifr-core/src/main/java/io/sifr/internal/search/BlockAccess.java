package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.SstReader;

/**
 * How searches reach the blocks of SSTs. One implementation counts, {@link #STORE}; tests have
 * others, that count, wait, fail, and deny that a block is in memory. Safe for any thread.
 */
public interface BlockAccess {
  /** Asks the SST itself. */
  BlockAccess STORE =
      new BlockAccess() {
        @Override
        public boolean isInMemory(SstReader reader, int block) {
          return reader.isInMemory(block);
        }

        @Override
        public boolean search(SstReader reader, int block, Lookup probe, Lookup into) {
          return reader.getFrom(
              block, probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence(), into);
        }
      };

  /** The block of an SST that may hold what is looked for. */
  static int block(SstReader reader, Lookup probe) {
    return reader.find(probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence());
  }

  /** See {@link SstReader#isInMemory}. */
  boolean isInMemory(SstReader reader, int block);

  /**
   * See {@link SstReader#getFrom}.
   *
   * @param probe what is looked for
   * @param into where the answer is put: the same, or another
   */
  boolean search(SstReader reader, int block, Lookup probe, Lookup into);
}
