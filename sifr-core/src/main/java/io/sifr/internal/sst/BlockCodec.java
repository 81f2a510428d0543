package io.sifr.internal.sst;

import com.google.errorprone.annotations.Immutable;
import java.nio.ByteBuffer;

/**
 * Encodes the raw form of a block for storage, and decodes it. The codec of a block is named in its
 * trailer, so one file may contain blocks of several codecs. Implementations are thread-safe.
 */
@Immutable
public interface BlockCodec {
  /** Stores blocks as they are. */
  BlockCodec NONE =
      new BlockCodec() {
        @Override
        public int id() {
          return 0;
        }

        @Override
        public boolean encode(ByteBuffer raw, ByteBuffer target) {
          return false;
        }

        @Override
        public void decode(ByteBuffer payload, ByteBuffer target) {
          target.put(payload);
        }
      };

  /** Number in the trailer of a block, 0 to 255; never reused for another codec. */
  int id();

  /**
   * Encodes a block.
   *
   * @param raw the raw form, from position to limit
   * @param target receives the encoded form, from its position on
   * @return false when encoding is not worth it, or the target has no room; the block is then
   *     stored as it is
   */
  boolean encode(ByteBuffer raw, ByteBuffer target);

  /**
   * Decodes a block.
   *
   * @param payload the encoded form, from position to limit; its checksum is correct
   * @param target receives the raw form, which must fill it from its position to its limit
   * @throws IllegalArgumentException when the payload does not decode to that
   */
  void decode(ByteBuffer payload, ByteBuffer target);
}
