package io.sifr.internal.format;

import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * The frame around one record of the write-ahead log or the manifest.
 *
 * <pre>
 *  0  u32  length n of the payload, at least 1
 *  4  u32  CRC32C of the length and the payload, bound to the file's unique id and the frame's offset
 *  8  n    payload
 *     0-7  zeros up to a multiple of 8
 * </pre>
 *
 * <p>A length is used only after its checksum was verified. Frames begin at multiples of eight, so
 * that after a damaged frame the next intact one can be searched for. Because id and offset are in
 * the checksum, old content of a recycled segment never reads as a record.
 */
public final class RecordFrame {
  /** Bytes before the payload. */
  public static final int HEADER_BYTES = 8;

  /** Frames begin at multiples of this. */
  public static final int ALIGNMENT = 8;

  /** Returned by {@link #payloadLength} when there is no whole, intact record. */
  public static final int NONE = -1;

  private RecordFrame() {}

  /** Bytes a record takes in the file. */
  public static long bytes(long payloadLength) {
    return (HEADER_BYTES + payloadLength + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * Completes a frame whose payload is already in place, {@link #HEADER_BYTES} after {@code at},
   * and clears the padding. The checksum is the last store: until then the record does not exist.
   *
   * @param uniqueId the file's unique id
   * @param fileOffset offset of the frame in the file; {@code at} may differ when the buffer is a
   *     piece of the file
   */
  public static void seal(
      ByteBuffer buffer, int at, int payloadLength, long uniqueId, long fileOffset) {
    int end = at + (int) bytes(payloadLength);
    for (int i = at + HEADER_BYTES + payloadLength; i < end; i++) {
      buffer.put(i, (byte) 0);
    }
    buffer.putInt(at, payloadLength);
    buffer.putInt(at + 4, checksum(buffer, at, payloadLength, uniqueId, fileOffset));
  }

  /**
   * Writes the header of a frame whose payload is stored separately.
   *
   * @param payloadCrc CRC32C of the payload
   * @param uniqueId the file's unique id
   * @param fileOffset offset of the frame in the file
   */
  public static void encodeHeader(
      byte[] target,
      int offset,
      int payloadLength,
      int payloadCrc,
      long uniqueId,
      long fileOffset) {
    Bytes.putInt(target, offset, payloadLength);
    Bytes.putInt(target, offset + 4, checksum(payloadCrc, payloadLength, uniqueId, fileOffset));
  }

  /**
   * Length of the payload of the record at {@code at}, or {@link #NONE} when no whole, intact
   * record of this file begins there before {@code limit}.
   */
  public static int payloadLength(
      ByteBuffer buffer, int at, int limit, long uniqueId, long fileOffset) {
    if (limit - at < HEADER_BYTES) {
      return NONE;
    }
    int length = buffer.getInt(at);
    if (length <= 0 || length > limit - at - HEADER_BYTES) {
      return NONE;
    }
    return buffer.getInt(at + 4) == checksum(buffer, at, length, uniqueId, fileOffset)
        ? length
        : NONE;
  }

  /**
   * The checksum in the header of a frame.
   *
   * @param payloadCrc CRC32C of the payload
   * @param uniqueId the file's unique id
   * @param fileOffset offset of the frame in the file
   */
  public static int checksum(int payloadCrc, int payloadLength, long uniqueId, long fileOffset) {
    // The length is folded in arithmetically: it is not adjacent to the payload, because the
    // checksum lies between them.
    return Checksums.bind(payloadCrc ^ Integer.reverse(payloadLength), uniqueId, fileOffset);
  }

  private static int checksum(
      ByteBuffer buffer, int at, int payloadLength, long uniqueId, long fileOffset) {
    int crc = Checksums.crc32c(buffer, at + HEADER_BYTES, payloadLength);
    return checksum(crc, payloadLength, uniqueId, fileOffset);
  }
}
