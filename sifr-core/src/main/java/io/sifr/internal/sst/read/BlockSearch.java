package io.sifr.internal.sst.read;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.EntryHeader;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
import java.nio.ByteBuffer;

/**
 * Searches one block in place, without building keys: neither the search among restart points nor
 * the scan from the right one allocates or copies anything.
 */
final class BlockSearch {
  private BlockSearch() {}

  /**
   * Finds the newest version of a key that a reader at {@code sequence} may see.
   *
   * @param block a view of the block
   * @return whether there is one in the block; {@code into} is unchanged if not
   */
  static boolean find(
      BlockView block, byte[] key, int offset, int length, long sequence, Lookup into) {
    long seek = Trailer.seek(sequence);
    long found = findRun(block, key, offset, length, seek);
    return scan(block, found, key, offset, length, seek, into);
  }

  /**
   * Scans the run of entries found, and the next one.
   *
   * <p>It keeps only the number of leading bytes that the previous entry has in common with the
   * key. An entry that shares more bytes than that with the previous one is, like it, too small;
   * one that shares fewer is too large; only if it shares exactly as many must its suffix be
   * compared.
   *
   * <p>A separate method for the JIT's sake: together with {@link #findRun} it exceeds the inlining
   * budget for the decoding of entries, and a header is then allocated for each block.
   */
  private static boolean scan(
      BlockView block, long found, byte[] key, int offset, int length, long seek, Lookup into) {
    ByteBuffer buffer = block.buffer;
    int end = block.end;
    int entriesEnd = BlockTrailer.entriesEnd(buffer, end);
    int run = run(found);
    int at = restart(block, run);
    // Versions of the key may continue in the next run, but no further: its first entry is after
    // the target. The length it shares refers to the block's first key.
    int nextRun = restart(block, run + 1);
    EntryHeader entry = new EntryHeader();
    int matched = run == 0 ? 0 : matched(found);
    // findRun() has decoded the restart point with the length of the block's first key.
    int lengthBefore = run == 0 ? 0 : EntryLimits.MAX_KEY_BYTES;
    while (at < entriesEnd) {
      if (!entry.decode(buffer, at, entriesEnd, lengthBefore)) {
        throw block.damaged(at, "no entry can be read");
      }
      if (at == nextRun) {
        matched = matched(found);
      }
      if (entry.shared < matched) {
        return false;
      }
      if (entry.shared == matched) {
        int order = EntryHeader.compare(buffer, entry, key, offset, length, matched);
        if ((order & 1) != 0) {
          return false;
        }
        matched += order >>> 1;
        if (matched == length) {
          long trailer = entry.trailer(block.baseSequence());
          if (trailer <= seek) {
            block.requireAllowed(at, trailer, entry.valueLength());
            into.set(buffer, entry.valueAt, entry.valueLength(), trailer);
            return true;
          }
        }
      }
      at = entry.next;
      lengthBefore = entry.decodedKeyLength();
    }
    return false;
  }

  /**
   * Finds the last run of entries that does not begin after (key, trailer) in internal order, or
   * the first run.
   *
   * @return that {@link #run}, and how many bytes the block's first key {@link #matched}
   */
  static long findRun(BlockView block, byte[] key, int offset, int length, long trailer) {
    ByteBuffer buffer = block.buffer;
    int start = block.start;
    int end = block.end;
    int restartsAt = BlockTrailer.restartsAt(buffer, end);
    int entriesEnd = BlockTrailer.entriesEnd(buffer, end);
    EntryHeader entry = new EntryHeader();
    int at = start;
    if (!entry.decode(buffer, at, entriesEnd, 0)) {
      throw block.damaged(at, "no entry can be read");
    }
    int firstLength = entry.decodedKeyLength();
    int order = EntryHeader.compare(buffer, entry, key, offset, length, 0);
    int matched = order >>> 1;
    if ((order & 1) != 0) {
      return matched;
    }
    long base = block.baseSequence();
    int low = 0;
    int high = BlockTrailer.restarts(buffer, end);
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      at = start + BlockTrailer.restart(buffer, restartsAt, middle);
      if (!entry.decode(buffer, at, entriesEnd, firstLength)) {
        throw block.damaged(at, "no entry can be read");
      }
      boolean after = entry.shared < matched;
      if (entry.shared == matched) {
        order = EntryHeader.compare(buffer, entry, key, offset, length, matched);
        after =
            (order >>> 1 == entry.suffixLength() && entry.decodedKeyLength() == length)
                ? entry.trailer(base) < trailer
                : (order & 1) != 0;
      }
      if (after) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return (long) low << 32 | matched;
  }

  static int run(long found) {
    return (int) (found >>> 32);
  }

  static int matched(long found) {
    return (int) found;
  }

  /**
   * Where a run of the block begins in its buffer; for the index after the last run, where the
   * entries end.
   */
  static int restart(BlockView block, int run) {
    ByteBuffer buffer = block.buffer;
    int end = block.end;
    return run == BlockTrailer.restarts(buffer, end)
        ? BlockTrailer.entriesEnd(buffer, end)
        : block.start + BlockTrailer.restart(buffer, BlockTrailer.restartsAt(buffer, end), run);
  }
}
