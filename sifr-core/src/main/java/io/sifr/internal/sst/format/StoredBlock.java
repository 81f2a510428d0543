package io.sifr.internal.sst.format;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.format.Checksums;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The form in which everything between the header and the footer of an SST is stored: data blocks,
 * the parts of the index and its top, the properties. The contents of a block, its raw form, do not
 * depend on where or how it is stored.
 *
 * <pre>
 *           payload: the raw form as its codec has encoded it
 *           zeros up to the trailer
 * -13  u32  bytes of the payload
 *  -9  u32  bytes of the raw form
 *  -5  u8   codec; 0: none, the payload is the raw form, and no zeros follow
 *  -4  u32  CRC32C of the block's bytes before it, bound to the file's id and the block's offset
 * </pre>
 */
public final class StoredBlock {
  /** Size of the trailer. */
  public static final int BYTES = 13;

  private StoredBlock() {}

  /**
   * Writes the trailer without the checksum.
   *
   * @param buffer big-endian
   * @param end where the block ends in it
   */
  public static void encodeTo(
      ByteBuffer buffer, int end, int payloadBytes, int rawBytes, int codec) {
    buffer.putInt(end - 13, payloadBytes);
    buffer.putInt(end - 9, rawBytes);
    buffer.put(end - 5, (byte) codec);
  }

  /** Writes the checksum. */
  public static void encodeChecksumTo(ByteBuffer buffer, int end, int checksum) {
    buffer.putInt(end - Integer.BYTES, checksum);
  }

  /** Writes the trailer after a raw form that is stored as it is. */
  public static void seal(ByteBuffer buffer, int start, int end, long uniqueId, long fileOffset) {
    int raw = end - start - BYTES;
    encodeTo(buffer, end, raw, raw, Codecs.NONE.id());
    int crc = Checksums.crc32c(buffer, start, end - start - Integer.BYTES);
    encodeChecksumTo(buffer, end, Checksums.bind(crc, uniqueId, fileOffset));
  }

  public static int payloadBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 13);
  }

  public static int rawBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 9);
  }

  public static int codec(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) & 0xFF;
  }

  public static int checksum(ByteBuffer buffer, int end) {
    return u32(buffer, end - Integer.BYTES);
  }

  /** Whether the payload is the raw form. */
  public static boolean isPlain(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) == 0;
  }

  private static int u32(ByteBuffer buffer, int at) {
    int value = buffer.getInt(at);
    return buffer.order() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
  }
}
