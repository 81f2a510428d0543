package io.sifr.internal.sst;

import com.google.errorprone.annotations.Immutable;
import java.nio.ByteBuffer;

/**
 * Turns the raw form of a block into what is stored, and back. Which codec a block was stored with
 * stands in its trailer, so blocks of several may lie in one file. Implementations are thread-safe.
 */
@Immutable
public interface BlockCodec {
  /** Blocks are stored as they are. */
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

  /** What stands in the trailer of a block, 0 to 255; never given to another codec. */
  int id();

  /**
   * Encodes a block.
   *
   * @param raw the raw form, from position to limit
   * @param target gets what is to be stored, from its position on
   * @return false when that is not worth it, or the target has no room: the block is stored as it
   *     is then
   */
  boolean encode(ByteBuffer raw, ByteBuffer target);

  /**
   * Decodes a block.
   *
   * @param payload what was stored, from position to limit; its checksum is right
   * @param target gets the raw form, which has to fill it from its position to its limit
   * @throws IllegalArgumentException when that is not what the payload holds
   */
  void decode(ByteBuffer payload, ByteBuffer target);
}
