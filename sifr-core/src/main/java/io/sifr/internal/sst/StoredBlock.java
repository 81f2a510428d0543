package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.Checksums;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

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
 *  -4  u32  CRC32C of all bytes of the block before, bound to the file's id and the block's offset
 * </pre>
 */
final class StoredBlock {
  /** Size of the trailer. */
  static final int BYTES = 13;

  private StoredBlock() {}

  /**
   * Writes the trailer without the checksum.
   *
   * @param buffer big-endian
   * @param end where the block ends in it
   */
  static void encodeTo(ByteBuffer buffer, int end, int payloadBytes, int rawBytes, int codec) {
    buffer.putInt(end - 13, payloadBytes);
    buffer.putInt(end - 9, rawBytes);
    buffer.put(end - 5, (byte) codec);
  }

  /** Writes the checksum. */
  static void encodeChecksumTo(ByteBuffer buffer, int end, int checksum) {
    buffer.putInt(end - Integer.BYTES, checksum);
  }

  /** Writes the trailer after a raw form that is stored as it is. */
  static void seal(ByteBuffer buffer, int start, int end, long uniqueId, long fileOffset) {
    int raw = end - start - BYTES;
    encodeTo(buffer, end, raw, raw, BlockCodec.NONE.id());
    int crc = Checksums.crc32c(buffer, start, end - start - Integer.BYTES);
    encodeChecksumTo(buffer, end, Checksums.bind(crc, uniqueId, fileOffset));
  }

  static int payloadBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 13);
  }

  static int rawBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 9);
  }

  static int codec(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) & 0xFF;
  }

  static int checksum(ByteBuffer buffer, int end) {
    return u32(buffer, end - Integer.BYTES);
  }

  /** Whether the payload is the raw form. */
  static boolean isPlain(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) == 0;
  }

  /**
   * Checks a block: its checksum, and that the trailer matches the block.
   *
   * @param what names the block in messages
   * @param start where it begins in the buffer
   * @param end where it ends there
   * @param fileOffset where it begins in the file
   * @throws CorruptionException when it is damaged
   * @throws UnsupportedFormatException when its codec is unknown
   */
  static void check(
      Path file,
      String what,
      ByteBuffer buffer,
      int start,
      int end,
      long uniqueId,
      long fileOffset) {
    int expected = checksum(buffer, end);
    int covered = end - start - Integer.BYTES;
    int actual = Checksums.bind(Checksums.crc32c(buffer, start, covered), uniqueId, fileOffset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, fileOffset, what, expected, actual);
    }
    checkTrailer(file, what, buffer, start, end, fileOffset);
  }

  /** Checks that the trailer matches the block, whose checksum is correct. */
  static void checkTrailer(
      Path file, String what, ByteBuffer buffer, int start, int end, long fileOffset) {
    int codec = codec(buffer, end);
    if (BlockCodecs.withId(codec) == null) {
      throw new UnsupportedFormatException(
          file,
          "codec of the %s at offset %d is %d, which is unknown"
              .formatted(what, fileOffset, codec));
    }
    int payload = payloadBytes(buffer, end);
    int raw = rawBytes(buffer, end);
    int room = end - start - BYTES;
    boolean fits =
        codec == BlockCodec.NONE.id()
            ? payload == room && raw == room
            : payload >= 0 && payload <= room && raw >= 0 && raw <= SstFormat.MAX_ENCODED_RAW_BYTES;
    if (!fits) {
      throw new CorruptionException(
          file,
          fileOffset,
          "%s: %d bytes of payload and %d of raw form in a block of %d, codec %d"
              .formatted(what, payload, raw, end - start, codec));
    }
  }

  /**
   * Decodes a checked block that is not plain.
   *
   * @param target receives the raw form, from its start on
   * @throws CorruptionException when the payload does not decode to that
   */
  static void decode(
      Path file, ByteBuffer buffer, int start, int end, long fileOffset, ByteBuffer target) {
    BlockCodec codec = BlockCodecs.withId(codec(buffer, end));
    int raw = rawBytes(buffer, end);
    int payloadEnd = start + payloadBytes(buffer, end);
    for (int at = payloadEnd; at < end - BYTES; at++) {
      if (buffer.get(at) != 0) {
        throw new CorruptionException(file, fileOffset + at - start, "padding is not zero");
      }
    }
    ByteBuffer into = target.duplicate().position(0).limit(raw);
    try {
      if (codec != null) {
        codec.decode(buffer.slice(start, payloadEnd - start), into);
      }
    } catch (IllegalArgumentException | BufferOverflowException | BufferUnderflowException e) {
      throw new CorruptionException(file, fileOffset, "the block cannot be decoded: " + e);
    }
    if (into.hasRemaining()) {
      throw new CorruptionException(
          file,
          fileOffset,
          "the block decodes to %d bytes, not %d".formatted(into.position(), raw));
    }
  }

  private static int u32(ByteBuffer buffer, int at) {
    int value = buffer.getInt(at);
    return buffer.order() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
  }
}
