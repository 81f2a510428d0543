package io.sifr.internal.sst.read;

import io.sifr.config.ReadMode;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;

/** The ways that blocks can be stored and read. */
public enum StoredForm {
  MMAP(ReadMode.MMAP, Codecs.NONE),
  DIRECT(ReadMode.DIRECT, Codecs.NONE),
  MMAP_REVERSED(ReadMode.MMAP, TestCodecs.REVERSING),
  POSITIONAL_REVERSED(ReadMode.POSITIONAL, TestCodecs.REVERSING),
  MMAP_DEFLATED(ReadMode.MMAP, TestCodecs.DEFLATING),
  DIRECT_DEFLATED(ReadMode.DIRECT, TestCodecs.DEFLATING),
  DIRECT_LZ4(ReadMode.DIRECT, Codecs.LZ4),
  MMAP_ZSTD(ReadMode.MMAP, Codecs.ZSTD);

  public final ReadMode mode;
  public final BlockCodec codec;

  StoredForm(ReadMode mode, BlockCodec codec) {
    this.mode = mode;
    this.codec = codec;
  }

  public SstFixture fixture() {
    return new SstFixture(mode, codec);
  }
}
