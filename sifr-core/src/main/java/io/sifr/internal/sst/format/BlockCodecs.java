package io.sifr.internal.sst.format;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;
import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a store's SSTs: the codec it writes with and all it can read, and the size of the
 * parts of indexes that it writes. Immutable.
 */
@Immutable
public final class BlockCodecs {
  /** All codecs of the file formats; blocks are written as they are. */
  public static final BlockCodecs STANDARD = new BlockCodecs(Codecs.NONE);

  /** A usual part of an index ends when it reaches this size. */
  private static final int INDEX_PART_BYTES = 32 << 10;

  private final BlockCodec written;
  private final int indexPartBytes;

  @SuppressWarnings("Immutable") // never changed
  private final @Nullable BlockCodec[] byId = new BlockCodec[256];

  /**
   * @param written encodes the blocks of SSTs that are written
   * @param read codecs that blocks may be encoded with, besides those of the file formats
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
    Codecs.ALL.forEach(codec -> byId[codec.id()] = codec);
    byId[written.id()] = written;
    for (BlockCodec codec : read) {
      byId[codec.id()] = codec;
    }
  }

  /**
   * The codecs for these options.
   *
   * @throws IllegalArgumentException when a codec needs a library that is not there
   */
  public static BlockCodecs of(StoreOptions options) {
    return new BlockCodecs(Codecs.required(options.compression()));
  }

  /** As below, of a database for which nothing is set. */
  public BlockCodec written() {
    return written;
  }

  /**
   * Encodes the blocks of SSTs that are written for a database.
   *
   * @param ofDatabase what is set for the database; null if nothing is
   */
  public BlockCodec written(@Nullable Compression ofDatabase) {
    return ofDatabase == null ? written : Codecs.required(ofDatabase);
  }

  /** The size at which a part of an index ends that is written. */
  public int indexPartBytes() {
    return indexPartBytes;
  }

  /** The codec with that number, 0 to 255; null when there is none. */
  public @Nullable BlockCodec withId(int id) {
    return byId[id];
  }
}
