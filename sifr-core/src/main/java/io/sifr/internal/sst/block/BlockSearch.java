package io.sifr.internal.sst.block;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockEntries;

/** Searches one block in place, without building keys: nothing is allocated or copied. */
public final class BlockSearch {
  private BlockSearch() {}

  /**
   * Finds the newest version of a key that a reader at {@code sequence} may see.
   *
   * @param block a view of the block
   * @return whether there is one in the block; {@code into} is unchanged if not
   */
  public static boolean find(
      BlockView block, byte[] key, int offset, int length, long sequence, Lookup into) {
    block.enter();
    int found = first(block, key, offset, length, Trailer.seek(sequence));
    if ((found & 1) == 0) {
      block.requireEnd();
      return false;
    }
    block.require(found >>> 1);
    long trailer = block.trailer();
    block.requireAllowed(trailer);
    into.set(block.buffer, block.valueAt(), block.valueLength(), trailer);
    return true;
  }

  /**
   * The first entry at or after (key, trailer) of a block that was entered, see {@link
   * BlockEntries#find}.
   */
  public static int first(BlockView block, byte[] key, int offset, int length, long trailer) {
    int found = block.find(key, offset, length, trailer);
    if (found == BlockEntries.UNREADABLE) {
      throw block.unreadable();
    }
    return found;
  }
}
