package io.sifr.internal.sst;

import com.google.errorprone.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** The codecs of a store: the one it writes with, and all it can read. Immutable. */
@Immutable
public final class BlockCodecs {
  /** The codecs of the file formats: blocks are stored as they are. */
  public static final BlockCodecs STANDARD = new BlockCodecs(BlockCodec.NONE);

  private final BlockCodec written;

  @SuppressWarnings("Immutable") // never changed
  private final @Nullable BlockCodec[] byId = new BlockCodec[256];

  /**
   * @param written encodes the blocks of SSTs that are written
   * @param read further codecs that blocks may be encoded with
   */
  public BlockCodecs(BlockCodec written, BlockCodec... read) {
    this.written = written;
    byId[BlockCodec.NONE.id()] = BlockCodec.NONE;
    byId[written.id()] = written;
    for (BlockCodec codec : read) {
      byId[codec.id()] = codec;
    }
  }

  /** Encodes the blocks of SSTs that are written. */
  public BlockCodec written() {
    return written;
  }

  /** The codec with that number, 0 to 255; null when there is none. */
  @Nullable BlockCodec withId(int id) {
    return byId[id];
  }
}
