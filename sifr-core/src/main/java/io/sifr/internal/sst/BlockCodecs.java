package io.sifr.internal.sst;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The codecs this program can read, by their number. Thread-safe. */
final class BlockCodecs {
  private static final AtomicReferenceArray<@Nullable BlockCodec> KNOWN =
      new AtomicReferenceArray<>(256);

  static {
    add(BlockCodec.NONE);
  }

  private BlockCodecs() {}

  /** Registers a codec. */
  static void add(BlockCodec codec) {
    KNOWN.set(codec.id(), codec);
  }

  /** The codec with that number, 0 to 255; null when there is none. */
  static @Nullable BlockCodec withId(int id) {
    return KNOWN.get(id);
  }
}
