package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;

/**
 * A codec of the file formats, which users may choose. {@link Codecs#ALL} lists them; the setting,
 * blocks and the options of databases find it there.
 */
@Immutable
public interface FormatCodec extends BlockCodec {
  /**
   * Number in the trailer of a block and in the manifest, 0 to 255; never reused for another codec.
   */
  @Override
  int id();

  /** The setting that chooses it. */
  Compression setting();

  /** Its name, for people. */
  String title();

  /**
   * What a compaction of its blocks takes of the processor for a byte of them, against a compaction
   * of blocks that are stored as they are: a byte stands for several, which are decoded, compacted
   * and encoded.
   */
  double price();

  /**
   * Checks that it can encode and decode.
   *
   * @throws UnsupportedOperationException when it needs a library that is not there
   */
  default void require() {}
}
