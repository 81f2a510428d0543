package io.sifr.internal.sst.format;

import java.nio.ByteBuffer;

/**
 * The blocks that follow the data blocks; each is checked when it is requested.
 *
 * @param decoder checks them
 * @param bytes the end of the file, from position 0 on
 * @param offset their offset in the file
 */
public record TailBlocks(BlockDecoder decoder, ByteBuffer bytes, int offset) {
  /**
   * The raw form of a block, from position to limit.
   *
   * @param what its name in messages
   * @param at its offset in the file; it must be within the bytes
   * @param length its size in the file
   * @throws io.sifr.error.CorruptionException when it is damaged
   * @throws io.sifr.error.UnsupportedFormatException when its codec is unknown
   */
  public ByteBuffer get(String what, int at, int length) {
    int start = at - offset;
    int end = start + length;
    decoder.check(what, bytes, start, end, at);
    if (StoredBlock.isPlain(bytes, end)) {
      return bytes.slice(start, length - StoredBlock.BYTES);
    }
    ByteBuffer raw = ByteBuffer.allocate(StoredBlock.rawBytes(bytes, end));
    decoder.decode(bytes, start, end, at, raw);
    return raw;
  }
}
