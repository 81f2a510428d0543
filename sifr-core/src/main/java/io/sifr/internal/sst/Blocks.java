package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.MappedRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The data blocks of an open SST. Whoever wants a block asks for the buffer it lies in, and where
 * in that buffer; that it is one mapping of the whole file is known here alone.
 *
 * <p>A block's checksum and the shape of its trailer are checked when it is first asked for. Safe
 * for any thread.
 */
final class Blocks implements AutoCloseable {
  private final Path file;
  private final MappedRegion region;
  private final ByteBuffer buffer;
  private final long uniqueId;
  private final FenceIndex index;

  // Written without a lock: what a thread does not see yet it checks once more.
  private final boolean[] checked;

  Blocks(Path file, MappedRegion region, long uniqueId, FenceIndex index) {
    this.file = file;
    this.region = region;
    this.buffer = region.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.uniqueId = uniqueId;
    this.index = index;
    this.checked = new boolean[index.blocks()];
  }

  /**
   * The buffer that holds the block, whose checksum was found to be right. It reads little-endian,
   * as {@link Varint56} needs words; turning each of them round costs a tenth of a get.
   */
  ByteBuffer buffer(int block) {
    if (!checked[block]) {
      check(block);
    }
    return buffer;
  }

  /** Where the block begins in its buffer. */
  int start(int block) {
    return index.offset(block);
  }

  /** Where the block ends in its buffer. */
  int end(int block) {
    return index.offset(block + 1);
  }

  /** Where the first entry of the block begins in its buffer. */
  int firstEntry(int block) {
    return start(block) + (block == 0 ? FileHeader.BYTES : 0);
  }

  /**
   * Checks a block, whether it was checked before or not: the checksum, the codec, and that the
   * trailer fits the block. Of the entries it checks nothing.
   *
   * @throws CorruptionException when the block is damaged
   * @throws UnsupportedFormatException when its codec is unknown
   */
  void check(int block) {
    int start = start(block);
    int end = end(block);
    int expected = BlockTrailer.checksum(buffer, end);
    int covered = end - start - Integer.BYTES;
    int actual = Checksums.bind(Checksums.crc32c(buffer, start, covered), uniqueId, start);
    if (expected != actual) {
      throw CorruptionException.checksum(file, start, "data block", expected, actual);
    }
    int codec = BlockTrailer.codec(buffer, end);
    if (codec != SstFormat.CODEC_NONE) {
      throw new UnsupportedFormatException(
          file, "codec of the block at offset " + start + " is " + codec + ", supported: 0 (none)");
    }
    BlockTrailer.check(file, buffer, start, firstEntry(block), end);
    checked[block] = true;
  }

  /** The exception for something wrong at that place of a block's buffer. */
  CorruptionException damaged(int at, String what) {
    return new CorruptionException(file, at, what);
  }

  /** Gives the mapping back. Nobody may be reading. */
  @Override
  public void close() {
    region.close();
  }
}
