package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import java.nio.ByteBuffer;

/**
 * Encodes the raw form of a block for storage, and decodes it. The codec of a block is named in its
 * trailer, so one file may contain blocks of several codecs. Implementations are thread-safe.
 */
@Immutable
public interface BlockCodec {
  /** Number in the trailer of a block, 0 to 255. */
  int id();

  /**
   * Encodes a block. Both buffers are arrays.
   *
   * @param raw the raw form, from position to limit, at most 65472 bytes
   * @param target receives the encoded form, from its position on
   * @return false when the target has no room for it, or the encoded form is so large that decoding
   *     it is not worth while; the contents of the target are undefined then
   * @throws UnsupportedOperationException when it needs a library that is not there
   */
  boolean encode(ByteBuffer raw, ByteBuffer target);

  /**
   * Decodes a block.
   *
   * @param payload the encoded form, from position to limit; its checksum is correct
   * @param target receives the raw form, which must fill it from its position to its limit
   * @throws IllegalArgumentException when the payload does not decode to that
   * @throws UnsupportedOperationException when it needs a library that is not there
   */
  void decode(ByteBuffer payload, ByteBuffer target);

  /**
   * The largest encoded form of that many bytes that is worth decoding: it saves at least an
   * eighth.
   */
  static int worth(int rawBytes) {
    return rawBytes - rawBytes / 8;
  }
}
