package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.format.Checksums;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Checks and decodes the stored blocks of one file, see {@link StoredBlock}. Thread-safe.
 *
 * @param file the file, for messages
 * @param uniqueId the file's unique id
 * @param codecs the codecs that blocks may be encoded with
 */
public record BlockDecoder(Path file, long uniqueId, BlockCodecs codecs) {
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
  public void check(String what, ByteBuffer buffer, int start, int end, long fileOffset) {
    int expected = StoredBlock.checksum(buffer, end);
    int covered = end - start - Integer.BYTES;
    int actual = Checksums.bind(Checksums.crc32c(buffer, start, covered), uniqueId, fileOffset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, fileOffset, what, expected, actual);
    }
    checkTrailer(what, buffer, start, end, fileOffset);
  }

  /** Checks that the trailer matches the block, whose checksum is correct. */
  public void checkTrailer(String what, ByteBuffer buffer, int start, int end, long fileOffset) {
    int codec = StoredBlock.codec(buffer, end);
    if (codecs.withId(codec) == null) {
      throw new UnsupportedFormatException(
          file,
          "codec of the %s at offset %d is %d, which is unknown"
              .formatted(what, fileOffset, codec));
    }
    int payload = StoredBlock.payloadBytes(buffer, end);
    int raw = StoredBlock.rawBytes(buffer, end);
    int room = end - start - StoredBlock.BYTES;
    boolean fits =
        codec == Codecs.NONE.id()
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
   * @throws UnsupportedFormatException when the codec needs a library that is not there
   */
  public void decode(ByteBuffer buffer, int start, int end, long fileOffset, ByteBuffer target) {
    BlockCodec codec = codecs.withId(StoredBlock.codec(buffer, end));
    int raw = StoredBlock.rawBytes(buffer, end);
    int payloadEnd = start + StoredBlock.payloadBytes(buffer, end);
    requireZeros(buffer, payloadEnd, end - StoredBlock.BYTES, fileOffset - start);
    ByteBuffer into = target.duplicate().position(0).limit(raw);
    try {
      if (codec != null) {
        codec.decode(buffer.slice(start, payloadEnd - start), into);
      }
    } catch (UnsupportedOperationException e) {
      throw new UnsupportedFormatException(
          file,
          "the block at offset %d cannot be decoded. %s".formatted(fileOffset, e.getMessage()));
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

  /**
   * Checks that padding is zero, so that damage to it does not go unnoticed.
   *
   * @param from where in the buffer it begins
   * @param to where in the buffer it ends
   * @param bufferOffset where in the file the buffer begins
   */
  public void requireZeros(ByteBuffer buffer, int from, int to, long bufferOffset) {
    for (int at = from; at < to; at++) {
      if (buffer.get(at) != 0) {
        throw new CorruptionException(file, at + bufferOffset, "padding is not zero");
      }
    }
  }

  /**
   * The blocks that follow the data blocks; each is checked when it is requested.
   *
   * @param decoder checks them
   * @param bytes the end of the file, from position 0 on
   * @param offset their offset in the file
   */
  public record Tail(BlockDecoder decoder, ByteBuffer bytes, int offset) {
    /**
     * The raw form of a block, from position to limit.
     *
     * @param what its name in messages
     * @param at its offset in the file; it must be within the bytes
     * @param length its size in the file
     * @throws io.sifr.error.CorruptionException when it is damaged
     * @throws io.sifr.error.UnsupportedFormatException when its codec is unknown
     */
    public ByteBuffer get(String what, int at, int length) {
      int start = at - offset;
      int end = start + length;
      decoder.check(what, bytes, start, end, at);
      if (StoredBlock.isPlain(bytes, end)) {
        return bytes.slice(start, length - StoredBlock.BYTES);
      }
      ByteBuffer raw = ByteBuffer.allocate(StoredBlock.rawBytes(bytes, end));
      decoder.decode(bytes, start, end, at, raw);
      return raw;
    }
  }
}
