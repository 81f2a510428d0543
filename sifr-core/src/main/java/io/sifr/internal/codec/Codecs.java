package io.sifr.internal.codec;

import io.sifr.config.Compression;

/** The codecs of the file formats. */
public final class Codecs {
  /** LZ4: fast in both directions. */
  public static final BlockCodec LZ4 = new Lz4Codec();

  /** Zstandard: smaller than LZ4, and slower. */
  public static final BlockCodec ZSTD = new ZstdCodec();

  private Codecs() {}

  /**
   * The codec that a setting stands for.
   *
   * @throws IllegalArgumentException when the codec needs a library that is not there
   */
  public static BlockCodec of(Compression compression) {
    return switch (compression) {
      case NONE -> BlockCodec.NONE;
      case LZ4 -> LZ4;
      case ZSTD -> {
        try {
          ZstdLibrary.require();
        } catch (UnsupportedOperationException e) {
          throw new IllegalArgumentException("compression is ZSTD. " + e.getMessage(), e);
        }
        yield ZSTD;
      }
    };
  }

  /** Name of the codec with that number, for people: the number itself if there is none. */
  public static String name(int id) {
    return switch (id) {
      case 0 -> "none";
      case 1 -> "LZ4";
      case 2 -> "Zstandard";
      default -> String.valueOf(id);
    };
  }
}
