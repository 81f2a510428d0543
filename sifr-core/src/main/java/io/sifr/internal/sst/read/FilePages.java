package io.sifr.internal.sst.read;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.sst.format.IndexPart;

/**
 * The pages of successive blocks of a part of the index, as they were read.
 *
 * @param memory the pages; retained for whoever has this
 * @param part the part
 * @param from the first block
 * @param to one more than the last block
 */
record FilePages(MemoryBlock memory, IndexPart part, int from, int to) {
  /** Whether a block is among them. */
  boolean hold(IndexPart of, int block) {
    return of.number() == part.number() && block >= from && block < to;
  }

  /** Whether a block is the one after them. */
  boolean endBefore(IndexPart of, int block) {
    return of.number() == part.number() && block == to;
  }

  /** Where in the memory a block begins. */
  int start(int block) {
    return part.offset(block) - part.pageStart(from);
  }
}
