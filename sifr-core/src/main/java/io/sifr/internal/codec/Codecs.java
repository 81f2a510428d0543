package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The codecs of the file formats. */
public final class Codecs {
  /** Stores blocks as they are. */
  public static final FormatCodec NONE = new Plain();

  /** LZ4: fast in both directions. */
  public static final FormatCodec LZ4 = new Lz4Codec();

  /** Zstandard: smaller than LZ4, and slower. */
  public static final FormatCodec ZSTD = new ZstdCodec();

  /** All of them. What is listed here can be chosen, written and read. */
  public static final List<FormatCodec> ALL = List.of(NONE, LZ4, ZSTD);

  private Codecs() {}

  /** The codec that a setting stands for. */
  public static FormatCodec of(Compression setting) {
    for (FormatCodec codec : ALL) {
      if (codec.setting() == setting) {
        return codec;
      }
    }
    throw new IllegalStateException("no codec is listed for " + setting);
  }

  /**
   * The codec that a setting stands for, which is about to be used.
   *
   * @throws IllegalArgumentException when the codec needs a library that is not there
   */
  public static FormatCodec required(Compression setting) {
    FormatCodec codec = of(setting);
    try {
      codec.require();
    } catch (UnsupportedOperationException e) {
      throw new IllegalArgumentException("compression is " + setting + ". " + e.getMessage(), e);
    }
    return codec;
  }

  /** The codec with that number; null if there is none. */
  public static @Nullable FormatCodec withId(long id) {
    for (FormatCodec codec : ALL) {
      if (codec.id() == id) {
        return codec;
      }
    }
    return null;
  }

  /** Name of the codec with that number, for people: the number itself if there is none. */
  public static String name(int id) {
    FormatCodec codec = withId(id);
    return codec == null ? String.valueOf(id) : codec.title();
  }

  /** Blocks that are stored as they are. Thread-safe. */
  @Immutable
  private static final class Plain implements FormatCodec {
    @Override
    public int id() {
      return 0;
    }

    @Override
    public Compression setting() {
      return Compression.NONE;
    }

    @Override
    public String title() {
      return "none";
    }

    @Override
    public double price() {
      return 1;
    }

    @Override
    public boolean encode(ByteBuffer raw, ByteBuffer target) {
      return false;
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer target) {
      target.put(payload);
    }
  }
}
