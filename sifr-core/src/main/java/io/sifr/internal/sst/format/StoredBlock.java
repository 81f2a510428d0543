package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.format.Checksums;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The form in which everything between the header and the footer of an SST is stored: data blocks,
 * the parts of the index and its top, the properties. The contents of a block, its raw form, do not
 * depend on where or how it is stored.
 *
 * <pre>
 *           payload: the raw form as its codec has encoded it, sealed if the file is encrypted
 *           zeros up to the trailer
 * -13  u32  bytes of the payload
 *  -9  u32  bytes of the raw form
 *  -5  u8   codec; 0: none, the payload is the raw form, and no zeros follow;
 *           + 128 if the payload is sealed, see {@link FileCipher}
 *  -4  u32  CRC32C of the block's bytes before it, bound to the file's id and the block's offset
 * </pre>
 */
public final class StoredBlock {
  /** Size of the trailer. */
  public static final int BYTES = 13;

  private StoredBlock() {}

  /** Added to the codec if the payload is sealed. */
  private static final int SEALED = 0x80;

  /**
   * The context of a sealed payload.
   *
   * @param codec as it stands in the trailer
   */
  private static byte[] context(long fileOffset, int rawBytes, int codec) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + 1)
        .putLong(fileOffset)
        .putInt(rawBytes)
        .put((byte) codec)
        .array();
  }

  /**
   * Completes the stored blocks of one file.
   *
   * @param uniqueId the file's unique id
   * @param cipher seals the payloads; null if the file is not encrypted
   */
  public record Encoder(long uniqueId, @Nullable FileCipher cipher) {
    /** Bytes that a stored block takes beside its payload, as its codec has encoded it. */
    public int overhead() {
      return cipher == null ? BYTES : BYTES + FileCipher.OVERHEAD;
    }

    /**
     * Seals a payload where it is, if the file is encrypted.
     *
     * @param array holds the payload, and room for what is added to it
     * @param codec number of the codec
     * @return bytes of the payload from now on
     */
    public int sealPayload(
        byte[] array, int start, int payloadBytes, int rawBytes, int codec, long fileOffset) {
      if (cipher == null) {
        return payloadBytes;
      }
      cipher.seal(context(fileOffset, rawBytes, codec | SEALED), array, start, payloadBytes);
      return payloadBytes + FileCipher.OVERHEAD;
    }

    /** The same of a payload that is sealed bit by bit; null if the file is not encrypted. */
    public FileCipher.@Nullable Stream stream(int rawBytes, long fileOffset) {
      int codec = Codecs.NONE.id() | SEALED;
      return cipher == null ? null : cipher.stream(context(fileOffset, rawBytes, codec));
    }

    /**
     * Writes the trailer without the checksum.
     *
     * @param buffer big-endian
     * @param end where the block ends in it
     * @param codec number of the codec
     */
    public void encodeTo(ByteBuffer buffer, int end, int payloadBytes, int rawBytes, int codec) {
      buffer.putInt(end - 13, payloadBytes);
      buffer.putInt(end - 9, rawBytes);
      buffer.put(end - 5, (byte) (cipher == null ? codec : codec | SEALED));
    }

    /**
     * Writes the checksum.
     *
     * @param crc CRC32C of the bytes before it
     */
    public void encodeChecksumTo(ByteBuffer buffer, int end, int crc, long fileOffset) {
      buffer.putInt(end - Integer.BYTES, Checksums.bind(crc, uniqueId, fileOffset));
    }

    /**
     * Completes a block whose raw form is stored as it is.
     *
     * @param buffer big-endian, with an array
     * @param start where the raw form begins in it
     * @param end where the block ends in it: {@link #overhead} bytes after the raw form
     */
    public void complete(ByteBuffer buffer, int start, int end, long fileOffset) {
      int raw = end - start - overhead();
      int codec = Codecs.NONE.id();
      int from = buffer.arrayOffset() + start;
      int payload = sealPayload(buffer.array(), from, raw, raw, codec, fileOffset);
      encodeTo(buffer, end, payload, raw, codec);
      int crc = Checksums.crc32c(buffer, start, end - start - Integer.BYTES);
      encodeChecksumTo(buffer, end, crc, fileOffset);
    }
  }

  public static int payloadBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 13);
  }

  public static int rawBytes(ByteBuffer buffer, int end) {
    return u32(buffer, end - 9);
  }

  /** Number of the codec. */
  public static int codec(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) & (SEALED - 1);
  }

  private static boolean isSealed(ByteBuffer buffer, int end) {
    return buffer.get(end - 5) < 0;
  }

  public static int checksum(ByteBuffer buffer, int end) {
    return u32(buffer, end - Integer.BYTES);
  }

  /** Whether the payload is the raw form, which can be read where it is. */
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
   * @param cipher opens the payloads; null if the file is not encrypted
   */
  public record Decoder(Path file, long uniqueId, BlockCodecs codecs, @Nullable FileCipher cipher) {
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
      boolean isSealed = StoredBlock.isSealed(buffer, end);
      if (isSealed != (cipher != null)) {
        throw new CorruptionException(
            file,
            fileOffset,
            isSealed
                ? "the %s is encrypted, and the file is not".formatted(what)
                : "the %s is not encrypted, and the file is".formatted(what));
      }
      int added = isSealed ? FileCipher.OVERHEAD : 0;
      int payload = StoredBlock.payloadBytes(buffer, end) - added;
      int raw = StoredBlock.rawBytes(buffer, end);
      int room = end - start - StoredBlock.BYTES - added;
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
      ByteBuffer payload = buffer.slice(start, payloadEnd - start);
      if (cipher != null) {
        byte[] context = context(fileOffset, raw, StoredBlock.codec(buffer, end) | SEALED);
        if (StoredBlock.codec(buffer, end) == Codecs.NONE.id()) {
          cipher.open("block", fileOffset, context, payload, into);
          return;
        }
        ByteBuffer opened = ByteBuffer.allocate(payload.remaining() - FileCipher.OVERHEAD);
        cipher.open("block", fileOffset, context, payload, opened);
        payload = opened.flip();
      }
      try {
        if (codec != null) {
          codec.decode(payload, into);
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
