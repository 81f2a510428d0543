package io.sifr.internal.sst.inspect;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.read.SstIterator;
import io.sifr.internal.sst.read.SstReader;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Visits the blocks of an SST and the entries in them, for tools. */
public final class SstInspection {
  private SstInspection() {}

  /** Receives blocks and entries, in the order of the file. */
  public interface Visitor {
    /** Receives a block, before its entries. */
    void block(BlockInfo block);

    /**
     * Receives an entry.
     *
     * @param offset its offset in the file; in an encoded block, offset of the block
     * @param bytes its size in the raw form of its block
     * @param at an iterator positioned on it, which must not be moved
     */
    default void entry(long offset, int bytes, EntryIterator at) {}
  }

  /**
   * Visits everything.
   *
   * @throws io.sifr.error.CorruptionException at a damaged block; those before it were visited
   */
  public static void visit(SstReader reader, Visitor visitor) {
    int blocks = reader.tail().footer().blocks();
    try (SstIterator counted = reader.iterator(ReadAhead.Policy.GROWING, ReadAhead.Helper.NONE);
        SstIterator shown = reader.iterator(ReadAhead.Policy.GROWING, ReadAhead.Helper.NONE)) {
      for (int block = 0; block < blocks; block++) {
        moveOn(counted);
        int from = counted.keyOffset();
        byte[] firstKey = Arrays.copyOfRange(counted.keyArray(), from, from + counted.keyLength());
        long entries = 1;
        while (counted.hasNextInBlock()) {
          moveOn(counted);
          entries++;
        }
        ByteBuffer stored = reader.lastPage(counted.blockEnd());
        visitor.block(counted.block(stored, entries, firstKey));
        for (long i = 0; i < entries; i++) {
          moveOn(shown);
          visitor.entry(shown.entryOffset(), shown.entryBytes(), shown);
        }
      }
    }
  }

  private static void moveOn(SstIterator iterator) {
    var unused = iterator.valid() ? iterator.next() : iterator.seekToFirst();
  }
}
