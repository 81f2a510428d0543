package io.sifr.internal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C, bound to the file and offset where the bytes belong. A block or record that is copied to
 * another offset or another file keeps its plain CRC; because the file's unique id and the offset
 * are folded in, a misplaced copy is detected.
 */
public final class Checksums {
  private Checksums() {}

  /** CRC32C of a range of an array. */
  public static int crc32c(byte[] array, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(array, offset, length);
    return (int) crc.getValue();
  }

  /** CRC32C of {@code length} bytes at absolute {@code offset} of a buffer. */
  public static int crc32c(ByteBuffer buffer, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.slice(offset, length));
    return (int) crc.getValue();
  }

  public static int bind(int crc, long uniqueId, long fileOffset) {
    long mixed = (uniqueId ^ fileOffset * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
    return crc ^ (int) (mixed >>> 32);
  }
}
