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
        public boolean search(
            SstReader reader,
            int block,
            byte[] key,
            int offset,
            int length,
            long sequence,
            Lookup into) {
          return reader.getFrom(block, key, offset, length, sequence, into);
        }
      };

  /** See {@link SstReader#isInMemory}. */
  boolean isInMemory(SstReader reader, int block);

  /** See {@link SstReader#getFrom}. */
  boolean search(
      SstReader reader, int block, byte[] key, int offset, int length, long sequence, Lookup into);
}
