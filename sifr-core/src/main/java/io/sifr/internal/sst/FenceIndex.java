package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.VarInts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The fences of an SST in compact arrays: which block may hold a key, and where that block lies.
 *
 * <p>What all fences have in common is stripped, and the next eight bytes of each stand in an array
 * of longs, so that a search compares numbers in one or two cache lines and looks at bytes only
 * where eight do not decide. Immutable; safe for any thread.
 */
final class FenceIndex {
  private static final long NO_SEQUENCE = Trailer.MAX_SEQUENCE;

  /** Block i begins at this page; one more than there are blocks. */
  private final int[] firstPage;

  private final byte[] common;

  // Of block i + 1 at i: the first block has no fence.
  private final long[] prefixes; // sign flipped: signed comparison is the unsigned one
  private final int[] keyEnds;
  private final byte[] keys; // without what is common
  private final long @Nullable [] sequences; // null when no fence has one

  private FenceIndex(int[] firstPage, byte[] fences, int[] fenceEnds, long @Nullable [] sequences) {
    int count = fenceEnds.length;
    int stripped = 0;
    if (count > 0) {
      int last = count == 1 ? 0 : fenceEnds[count - 2];
      stripped =
          Bytes.commonPrefix(fences, 0, fenceEnds[0], fences, last, fenceEnds[count - 1] - last);
    }
    this.firstPage = firstPage;
    this.common = Arrays.copyOf(fences, stripped);
    this.sequences = sequences;
    this.prefixes = new long[count];
    this.keyEnds = new int[count];
    this.keys = new byte[count == 0 ? 0 : fenceEnds[count - 1] - count * stripped];
    int from = 0;
    int to = 0;
    for (int i = 0; i < count; i++) {
      int length = fenceEnds[i] - from - stripped;
      System.arraycopy(fences, from + stripped, keys, to, length);
      prefixes[i] = Bytes.prefix(keys, to, length) ^ Long.MIN_VALUE;
      from = fenceEnds[i];
      to += length;
      keyEnds[i] = to;
    }
  }

  int blocks() {
    return firstPage.length - 1;
  }

  /** Offset of a block in the file; with the number of blocks, where the last one ends. */
  int offset(int block) {
    return firstPage[block] * SstFormat.PAGE_BYTES;
  }

  int pages(int block) {
    return firstPage[block + 1] - firstPage[block];
  }

  /**
   * The block with the newest version of the key that a reader at {@code sequence} may see, if
   * there is one: the last block whose fence is not behind (key, sequence).
   */
  int find(byte[] key, int offset, int length, long sequence) {
    int count = prefixes.length;
    int stripped = common.length;
    if (stripped > 0) {
      int order = Bytes.compare(key, offset, Math.min(length, stripped), common, 0, stripped);
      if (order != 0) {
        return order < 0 ? 0 : count;
      }
    }
    long prefix = Bytes.prefix(key, offset + stripped, length - stripped) ^ Long.MIN_VALUE;
    int behind = countUpTo(prefix);
    if (behind > 0 && prefixes[behind - 1] == prefix) {
      return countEqualUpTo(prefix, behind, key, offset + stripped, length - stripped, sequence);
    }
    return behind;
  }

  /** How many fences have a prefix of at most {@code prefix}. */
  private int countUpTo(long prefix) {
    int low = 0;
    int size = prefixes.length;
    while (size > 0) {
      int half = (size + 1) >>> 1;
      low += prefixes[low + half - 1] <= prefix ? half : 0; // a conditional move, no branch
      size -= half;
    }
    return low;
  }

  /** Narrows the answer down among fences whose first eight bytes are those of the key. */
  private int countEqualUpTo(
      long prefix, int behind, byte[] key, int offset, int length, long sequence) {
    int low = prefix == Long.MIN_VALUE ? 0 : countUpTo(prefix - 1);
    int high = behind;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareStripped(middle, key, offset, length, sequence) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compareStripped(int fence, byte[] key, int offset, int length, long sequence) {
    int from = fence == 0 ? 0 : keyEnds[fence - 1];
    int order = Bytes.compare(keys, from, keyEnds[fence] - from, key, offset, length);
    return order != 0 ? order : Long.compare(sequence, sequenceOf(fence));
  }

  private long sequenceOf(int fence) {
    return sequences == null ? NO_SEQUENCE : sequences[fence];
  }

  /** Internal order of a block's fence, which is not that of the first block, and an entry. */
  int compareFence(int block, byte[] key, int length, long sequence) {
    int stripped = common.length;
    int order = Bytes.compare(common, 0, stripped, key, 0, Math.min(length, stripped));
    return order != 0
        ? order
        : compareStripped(block - 1, key, stripped, length - stripped, sequence);
  }

  /**
   * Reads an index whose checksum is right, believing nothing else of it.
   *
   * @param encoded the index, from position to limit
   * @param fileOffset where it begins in the file, which is where the blocks end
   * @throws CorruptionException when it is not the index of that many blocks
   */
  static FenceIndex decode(Path file, ByteBuffer encoded, long fileOffset, int blocks) {
    Decoder decoder = new Decoder(encoded, blocks);
    try {
      return decoder.decode(SstFormat.pages(fileOffset));
    } catch (BufferUnderflowException e) {
      throw new CorruptionException(
          file,
          fileOffset + encoded.position(),
          "index of " + blocks + " blocks: it ends too soon");
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(
          file,
          fileOffset + encoded.position(),
          "index of " + blocks + " blocks: " + e.getMessage());
    }
  }

  /**
   * The state of decoding. Failures are {@link IllegalArgumentException}s, placed by the caller.
   */
  private static final class Decoder {
    private final ByteBuffer encoded;
    private final int[] firstPage;
    private final int[] fenceEnds;
    private byte[] fences;
    private long @Nullable [] sequences;

    Decoder(ByteBuffer encoded, int blocks) {
      this.encoded = encoded;
      this.firstPage = new int[blocks + 1];
      this.fenceEnds = new int[blocks - 1];
      this.fences = new byte[encoded.remaining() + 64];
    }

    FenceIndex decode(int pages) {
      int blocks = firstPage.length - 1;
      int shared = VarInts.getInt(encoded);
      int suffixAndFlag = VarInts.getInt(encoded);
      check((shared | suffixAndFlag) == 0, "a fence of block 0");
      firstPage[1] = nextPages(pages);
      for (int block = 1; block < blocks; block++) {
        decodeFence(block - 1);
        firstPage[block + 1] = firstPage[block] + nextPages(pages - firstPage[block]);
        int fence = block - 1;
        int length = fenceEnds[fence] - start(fence);
        if (length > (long) (firstPage[block + 1] - firstPage[block]) * SstFormat.PAGE_BYTES) {
          throw wrong("a fence of " + length + " bytes, longer than its block");
        }
      }
      if (firstPage[blocks] != pages) {
        throw wrong(firstPage[blocks] + " pages instead of " + pages);
      }
      if (encoded.hasRemaining()) {
        throw wrong(encoded.remaining() + " bytes too many");
      }
      return new FenceIndex(firstPage, fences, fenceEnds, sequences);
    }

    private int nextPages(int left) {
      int pages = VarInts.getInt(encoded);
      if (pages <= 0 || pages > left) {
        throw wrong("a block of " + pages + " pages, " + left + " are left");
      }
      return pages;
    }

    private void decodeFence(int fence) {
      int shared = VarInts.getInt(encoded);
      int suffixAndFlag = VarInts.getInt(encoded);
      int suffix = suffixAndFlag >>> 1;
      int from = start(fence);
      int before = fence == 0 ? 0 : from - start(fence - 1);
      check(shared <= before && suffix <= encoded.remaining(), "a fence's length");
      long sequence = NO_SEQUENCE;
      if ((suffixAndFlag & 1) != 0) {
        sequence = VarInts.getLong(encoded);
        check(sequence >= 0 && sequence < NO_SEQUENCE, "a fence's sequence number");
        sequences()[fence] = sequence;
      }
      int end = from + shared + suffix;
      if (end > fences.length) {
        fences = Arrays.copyOf(fences, Math.max(end, 2 * fences.length));
      }
      System.arraycopy(fences, from - before, fences, from, shared);
      encoded.get(fences, from + shared, suffix);
      fenceEnds[fence] = end;
      check(fence == 0 || isBehindTheOneBefore(fence, sequence), "fences out of order");
    }

    private boolean isBehindTheOneBefore(int fence, long sequence) {
      int before = start(fence - 1);
      int from = start(fence);
      int order =
          Bytes.compare(fences, before, from - before, fences, from, fenceEnds[fence] - from);
      return order < 0 || (order == 0 && sequences != null && sequences[fence - 1] > sequence);
    }

    private int start(int fence) {
      return fence == 0 ? 0 : fenceEnds[fence - 1];
    }

    private long[] sequences() {
      if (sequences == null) {
        sequences = new long[fenceEnds.length];
        Arrays.fill(sequences, NO_SEQUENCE);
      }
      return sequences;
    }

    private static void check(boolean holds, String otherwise) {
      if (!holds) {
        throw wrong(otherwise);
      }
    }

    private static IllegalArgumentException wrong(String what) {
      return new IllegalArgumentException(what);
    }
  }
}
