package io.sifr.leveldb.importer.source;

import java.util.zip.CRC32C;

/** CRC-32C as LevelDB stores it: rotated, with a constant added. */
public final class MaskedChecksum {
  private static final int MASK = 0xa282ead8;
  private static final int ROTATED = 15;

  private MaskedChecksum() {}

  /** The stored form of a checksum. */
  public static int of(CRC32C checksum) {
    return Integer.rotateRight((int) checksum.getValue(), ROTATED) + MASK;
  }

  /** The stored form of the checksum of bytes. */
  public static int of(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return of(checksum);
  }
}
