package io.sifr.leveldb.importer.table;

import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * Decodes blocks, whatever LevelDB or the branch of it in Minecraft has done to them. Not
 * thread-safe.
 */
final class Decoder {
  private static final int NONE = 0;
  private static final int SNAPPY = 1;
  private static final int ZLIB_OR_ZSTD = 2;
  private static final int ZSTD = 3;
  private static final int DEFLATE = 4;

  /** Larger than the largest entry of a store, and than what LevelDB puts before it in a block. */
  static final int MOST_BYTES = 1 << 30;

  /** Snappy's longest copy makes 64 bytes of 3. */
  private static final int SNAPPY_MOST_TIMES = 22;

  private static final byte[] ZSTD_BEGIN = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};
  private static final int BUFFER = 1 << 14;

  private final SnappyDecompressor snappy = new SnappyDecompressor();
  private final int mostBytes;

  /** Refuses blocks that have more bytes when they are decoded. */
  Decoder(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Thrown when a block cannot be decoded; the message goes on after "a block". */
  static final class UndecodableException extends Exception {
    private static final long serialVersionUID = 1L;

    private UndecodableException(String message) {
      super(message);
    }
  }

  static boolean isCompressed(int type) {
    return type != NONE;
  }

  /**
   * Decodes a block. A type of 2 means zlib to Minecraft, whose first byte is 0x78, and Zstandard
   * to LevelDB after 1.23, which has a first word of its own.
   *
   * @param stored the block, which its trailer may follow
   * @param length of the block
   */
  byte[] decode(int type, byte[] stored, int length) throws UndecodableException {
    try {
      return switch (type) {
        case NONE -> Arrays.copyOf(stored, length);
        case SNAPPY -> unsnap(stored, length);
        case ZLIB_OR_ZSTD ->
            isZstd(stored, length)
                ? read(new ZstdInputStream(new ByteArrayInputStream(stored, 0, length)))
                : inflate(stored, length, false);
        case ZSTD -> read(new ZstdInputStream(new ByteArrayInputStream(stored, 0, length)));
        case DEFLATE -> inflate(stored, length, true);
        default ->
            throw new UndecodableException(
                "of the type " + type + ", which no LevelDB known here writes");
      };
    } catch (IOException | RuntimeException e) {
      throw new UndecodableException(
          "of the type " + type + " that cannot be decoded: " + e.getMessage());
    }
  }

  private static boolean isZstd(byte[] stored, int length) {
    int begin = ZSTD_BEGIN.length;
    return length >= begin && Arrays.equals(stored, 0, begin, ZSTD_BEGIN, 0, begin);
  }

  private byte[] unsnap(byte[] stored, int length) throws IOException {
    int bytes = SnappyDecompressor.getUncompressedLength(stored, 0);
    if (bytes < 0 || bytes > (long) length * SNAPPY_MOST_TIMES) {
      throw new IOException("it says that it has " + bytes + " bytes");
    }
    requireAllowed(bytes);
    byte[] decoded = new byte[bytes];
    int written = snappy.decompress(stored, 0, length, decoded, 0, bytes);
    if (written != bytes) {
      throw new IOException("it has " + written + " bytes, and says " + bytes);
    }
    return decoded;
  }

  private byte[] inflate(byte[] stored, int length, boolean isRaw) throws IOException {
    Inflater inflater = new Inflater(isRaw);
    try (InputStream in =
        new InflaterInputStream(new ByteArrayInputStream(stored, 0, length), inflater, BUFFER)) {
      return read(in);
    } finally {
      inflater.end();
    }
  }

  private byte[] read(InputStream in) throws IOException {
    try (in) {
      byte[] decoded = in.readNBytes(mostBytes + 1);
      requireAllowed(decoded.length);
      return decoded;
    }
  }

  private void requireAllowed(int bytes) throws IOException {
    if (bytes > mostBytes) {
      throw new IOException("it has more than " + mostBytes + " bytes");
    }
  }
}
