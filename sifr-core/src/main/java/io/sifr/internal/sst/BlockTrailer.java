package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The end of a data block, counted from the end of its last page.
 *
 * <pre>
 *       u16  offset of each restart point from the start of the block
 * -17   u16  number of restart points
 * -15   u16  zero bytes between the last entry and the restart offsets
 * -13   u64  base sequence number
 *  -5   u8   codec
 *  -4   u32  CRC32C of all bytes of the block before, bound to the file and to the block's offset
 * </pre>
 *
 * <p>Like all fixed-width integers of the file they are big-endian; they are read from the
 * little-endian buffers of {@link BlockView}s.
 */
final class BlockTrailer {
  /** Bytes behind the restart offsets. */
  static final int BYTES = 17;

  private BlockTrailer() {}

  /** Bytes a trailer takes with that many restart points. */
  static int bytes(int restarts) {
    return BYTES + restarts * Short.BYTES;
  }

  static void encodeTo(ByteBuffer buffer, int end, int restarts, int padding, long baseSequence) {
    buffer.putShort(end - 17, (short) restarts);
    buffer.putShort(end - 15, (short) padding);
    buffer.putLong(end - 13, baseSequence);
    buffer.put(end - 5, (byte) SstFormat.CODEC_NONE);
  }

  static void encodeChecksumTo(ByteBuffer buffer, int end, int checksum) {
    buffer.putInt(end - Integer.BYTES, checksum);
  }

  static int restarts(ByteBuffer buffer, int end) {
    return u16(buffer, end - 17);
  }

  /** Where the restart offsets begin. */
  static int restartsAt(ByteBuffer buffer, int end) {
    return end - bytes(restarts(buffer, end));
  }

  /** Offset of restart point {@code index} from the start of the block. */
  static int restart(ByteBuffer buffer, int restartsAt, int index) {
    return u16(buffer, restartsAt + index * Short.BYTES);
  }

  /** Where the entries end. */
  static int entriesEnd(ByteBuffer buffer, int end) {
    return restartsAt(buffer, end) - u16(buffer, end - 15);
  }

  static long baseSequence(ByteBuffer buffer, int end) {
    return Long.reverseBytes(buffer.getLong(end - 13));
  }

  static int codec(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) & 0xFF;
  }

  static int checksum(ByteBuffer buffer, int end) {
    return Integer.reverseBytes(buffer.getInt(end - Integer.BYTES));
  }

  /**
   * Checks that the trailer fits the block, whose checksum is right.
   *
   * @param start where the block begins in the buffer
   * @param firstEntry where its first entry begins
   * @param end where it ends
   * @param offset where the block begins in the file
   * @throws CorruptionException when the trailer is not one of such a block
   */
  static void check(Path file, ByteBuffer buffer, int start, int firstEntry, int end, long offset) {
    int restarts = restarts(buffer, end);
    int restartsAt = restartsAt(buffer, end);
    if (restarts == 0 || restartsAt < firstEntry + EntryHeader.MIN_BYTES) {
      throw new CorruptionException(
          file, offset, restarts + " restart points in " + (end - start) + " bytes");
    }
    int entriesEnd = entriesEnd(buffer, end);
    if (entriesEnd < firstEntry + EntryHeader.MIN_BYTES) {
      throw new CorruptionException(file, offset, "padding leaves no room for an entry");
    }
    if (start + restart(buffer, restartsAt, 0) != firstEntry) {
      throw new CorruptionException(
          file, offset + restartsAt - start, "the first entry is no restart point");
    }
    for (int i = 1; i < restarts; i++) {
      int restart = restart(buffer, restartsAt, i);
      if (restart <= restart(buffer, restartsAt, i - 1) || start + restart >= entriesEnd) {
        throw new CorruptionException(
            file, offset + (restartsAt + i * Short.BYTES - start), "restart points out of order");
      }
    }
    long base = baseSequence(buffer, end);
    if (base < 0 || base > Trailer.MAX_SEQUENCE) {
      throw new CorruptionException(file, offset, "base sequence number is " + base);
    }
  }

  private static int u16(ByteBuffer buffer, int at) {
    return Short.reverseBytes(buffer.getShort(at)) & 0xFFFF;
  }
}
