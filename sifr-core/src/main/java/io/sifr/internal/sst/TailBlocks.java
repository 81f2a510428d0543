package io.sifr.internal.sst;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The blocks that follow the data blocks; each is checked when it is requested.
 *
 * @param file the file, for messages
 * @param bytes the end of the file, from position 0 on
 * @param offset their offset in the file
 * @param uniqueId the file's unique id
 */
record TailBlocks(Path file, ByteBuffer bytes, int offset, long uniqueId) {
  /**
   * The raw form of a block, from position to limit.
   *
   * @param what its name in messages
   * @param at its offset in the file; it must be within the bytes
   * @param length its size in the file
   * @throws io.sifr.error.CorruptionException when it is damaged
   * @throws io.sifr.error.UnsupportedFormatException when its codec is unknown
   */
  ByteBuffer get(String what, int at, int length) {
    int start = at - offset;
    int end = start + length;
    StoredBlock.check(file, what, bytes, start, end, uniqueId, at);
    if (StoredBlock.isPlain(bytes, end)) {
      return bytes.slice(start, length - StoredBlock.BYTES);
    }
    ByteBuffer raw = ByteBuffer.allocate(StoredBlock.rawBytes(bytes, end));
    StoredBlock.decode(file, bytes, start, end, at, raw);
    return raw;
  }
}
