package io.sifr.internal.sst;

import com.google.errorprone.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * How SSTs of a store are encoded: the codec it writes with and all it can read, and how large the
 * parts of indexes are that it writes. Immutable.
 */
@Immutable
public final class BlockCodecs {
  /** The codecs of the file formats: blocks are stored as they are. */
  public static final BlockCodecs STANDARD = new BlockCodecs(BlockCodec.NONE);

  /** A usual part of an index ends when it reaches this size. */
  private static final int INDEX_PART_BYTES = 32 << 10;

  private final BlockCodec written;
  private final int indexPartBytes;

  @SuppressWarnings("Immutable") // never changed
  private final @Nullable BlockCodec[] byId = new BlockCodec[256];

  /**
   * @param written encodes the blocks of SSTs that are written
   * @param read further codecs that blocks may be encoded with
   */
  public BlockCodecs(BlockCodec written, BlockCodec... read) {
    this(INDEX_PART_BYTES, written, read);
  }

  /**
   * As above, with index parts of another size.
   *
   * @param indexPartBytes a part of an index ends when it reaches this size
   */
  public BlockCodecs(int indexPartBytes, BlockCodec written, BlockCodec... read) {
    this.indexPartBytes = indexPartBytes;
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

  /** The size at which a part of an index ends that is written. */
  int indexPartBytes() {
    return indexPartBytes;
  }

  /** The codec with that number, 0 to 255; null when there is none. */
  @Nullable BlockCodec withId(int id) {
    return byId[id];
  }
}
