package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The data blocks of an open SST. Whoever wants a block has it shown; how it came into memory is
 * known here alone. Every block shown was checked when it came there: the checksum, and the shape
 * of its trailer.
 *
 * <p>Safe for any thread.
 */
abstract class Blocks implements AutoCloseable {
  private final Path file;
  private final long uniqueId;
  private final FenceIndex index;

  Blocks(Path file, long uniqueId, FenceIndex index) {
    this.file = file;
    this.uniqueId = uniqueId;
    this.index = index;
  }

  /** The file, for messages. */
  final Path file() {
    return file;
  }

  /** Where the blocks are. */
  final FenceIndex index() {
    return index;
  }

  /**
   * Brings a block into memory and lets a view show it.
   *
   * @throws CorruptionException when the block is damaged
   * @throws UnsupportedFormatException when its codec is unknown
   */
  abstract void show(int block, BlockView view);

  /** Whether showing a block needs no I/O that is known of. */
  abstract boolean isInMemory(int block);

  /**
   * Called when a block was read where it lies, before anybody relies on what was found there.
   *
   * @throws InternalError when some of it could not be read
   */
  void searched(BlockView view) {}

  /** Called when a search has found an answer, which it may have to be told where that lies. */
  void found(Lookup answer) {}

  /** The exception for a block of which the platform has not delivered a page. */
  final UnreadableException unreadable(int block, Throwable e) {
    return new UnreadableException(file, index.offset(block), e);
  }

  /** Gives everything back. Nobody may be reading. */
  @Override
  public abstract void close();

  /**
   * Checks a block: the checksum, the codec, and that the trailer fits the block. Of the entries it
   * checks nothing.
   *
   * @param start where it begins in the buffer
   */
  final void check(int block, ByteBuffer buffer, int start) {
    int offset = index.offset(block);
    int end = start + index.offset(block + 1) - offset;
    int expected = BlockTrailer.checksum(buffer, end);
    int covered = end - start - Integer.BYTES;
    int actual = Checksums.bind(Checksums.crc32c(buffer, start, covered), uniqueId, offset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, offset, "data block", expected, actual);
    }
    int codec = BlockTrailer.codec(buffer, end);
    if (codec != SstFormat.CODEC_NONE) {
      throw new UnsupportedFormatException(
          file,
          "codec of the block at offset " + offset + " is " + codec + ", supported: 0 (none)");
    }
    int firstEntry = start + (block == 0 ? FileHeader.BYTES : 0);
    BlockTrailer.check(file, buffer, start, firstEntry, end, offset);
  }
}
