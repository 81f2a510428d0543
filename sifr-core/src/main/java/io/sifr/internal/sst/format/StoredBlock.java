package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
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

  /**
   * Checks and decodes the stored blocks of one file, see {@link StoredBlock}. Thread-safe.
   *
   * @param file the file, for messages
   * @param uniqueId the file's unique id
   * @param codecs the codecs that blocks may be encoded with
   */
  public record Decoder(Path file, long uniqueId, BlockCodecs codecs) {
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(SstFormat.PAGE_BYTES);

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
              : payload >= 0
                  && payload <= room
                  && raw >= 0
                  && raw <= SstFormat.MAX_ENCODED_RAW_BYTES;
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
      for (int at = from; at < to; at += ZEROS.capacity()) {
        int length = Math.min(to - at, ZEROS.capacity());
        int mismatch = ZEROS.slice(0, length).mismatch(buffer.slice(at, length));
        if (mismatch >= 0) {
          throw new CorruptionException(file, at + mismatch + bufferOffset, "padding is not zero");
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
    public record Tail(Decoder decoder, ByteBuffer bytes, int offset) {
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
}
