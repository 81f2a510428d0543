package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The end of the raw form of a data block; offsets are counted from its end.
 *
 * <pre>
 *       u16  offset of each restart point from the start of the block
 * -12   u16  number of restart points
 * -10   u16  zero bytes between the last entry and the restart offsets
 *  -8   u64  base sequence number
 * </pre>
 *
 * <p>Like all fixed-width integers of the file they are big-endian; they are read from the
 * little-endian buffers of block views. The zeros fill up the pages of a block that is stored as it
 * is. They precede the restart offsets, so that a search finds everything it begins with in the
 * last bytes of a page.
 */
public final class BlockTrailer {
  /** Bytes after the restart offsets. */
  public static final int BYTES = 12;

  private BlockTrailer() {}

  /** Size of a trailer with that many restart points. */
  public static int bytes(int restarts) {
    return BYTES + restarts * Short.BYTES;
  }

  public static void encodeTo(
      ByteBuffer buffer, int end, int restarts, int padding, long baseSequence) {
    buffer.putShort(end - 12, (short) restarts);
    buffer.putShort(end - 10, (short) padding);
    buffer.putLong(end - 8, baseSequence);
  }

  public static int restarts(ByteBuffer buffer, int end) {
    return u16(buffer, end - 12);
  }

  /** Where the restart offsets begin. */
  public static int restartsAt(ByteBuffer buffer, int end) {
    return end - bytes(restarts(buffer, end));
  }

  /** Offset of restart point {@code index} from the start of the block. */
  public static int restart(ByteBuffer buffer, int restartsAt, int index) {
    return u16(buffer, restartsAt + index * Short.BYTES);
  }

  /** Where the entries end. */
  public static int entriesEnd(ByteBuffer buffer, int end) {
    return restartsAt(buffer, end) - u16(buffer, end - 10);
  }

  public static long baseSequence(ByteBuffer buffer, int end) {
    return Long.reverseBytes(buffer.getLong(end - 8));
  }

  /**
   * Checks that the trailer fits the block.
   *
   * @param start where the raw form begins in the buffer
   * @param end where it ends
   * @param offset where the block begins in the file
   * @throws CorruptionException when it is not the trailer of such a block
   */
  public static void check(Path file, ByteBuffer buffer, int start, int end, long offset) {
    if (end - start < BYTES) {
      throw new CorruptionException(file, offset, "a block of " + (end - start) + " bytes");
    }
    int restarts = restarts(buffer, end);
    int restartsAt = restartsAt(buffer, end);
    if (restarts == 0 || restartsAt < start + SstFormat.MIN_ENTRY_BYTES) {
      throw new CorruptionException(
          file, offset, restarts + " restart points in " + (end - start) + " bytes");
    }
    int entriesEnd = entriesEnd(buffer, end);
    if (entriesEnd < start + SstFormat.MIN_ENTRY_BYTES) {
      throw new CorruptionException(file, offset, "padding leaves no room for an entry");
    }
    if (restart(buffer, restartsAt, 0) != 0) {
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
