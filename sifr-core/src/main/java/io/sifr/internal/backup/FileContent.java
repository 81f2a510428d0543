package io.sifr.internal.backup;

import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage.Content;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.CRC32C;

/** The first bytes of a file, as what is to be put; its checksum is known when it was read. */
final class FileContent implements Content {
  private final StoreFileSystem fileSystem;
  private final Path file;
  private final long bytes;
  private final Runnable eachStep;
  private long readBytes = -1;
  private int checksum;

  /**
   * @param bytes how many; the file has at least as many
   * @param eachStep called before each piece; throws to end a copy
   */
  FileContent(StoreFileSystem fileSystem, Path file, long bytes, Runnable eachStep) {
    this.fileSystem = fileSystem;
    this.file = file;
    this.bytes = bytes;
    this.eachStep = eachStep;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  /** CRC32C of what was read last, which was all of it. */
  int checksum() {
    if (readBytes != bytes) {
      throw new IllegalStateException(
          "the storage has read " + readBytes + " bytes of " + file + ", not " + bytes);
    }
    return checksum;
  }

  @Override
  public InputStream open() {
    RandomReadFile from = fileSystem.openForRead(file);
    readBytes = 0;
    checksum = 0;
    CRC32C crc = new CRC32C();
    return new InputStream() {
      private long at;

      @Override
      public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
          return 0;
        }
        if (at == bytes) {
          return -1;
        }
        eachStep.run();
        int count = (int) Math.min(length, bytes - at);
        from.readFully(ByteBuffer.wrap(target, offset, count), at);
        crc.update(target, offset, count);
        at += count;
        readBytes = at;
        checksum = (int) crc.getValue();
        return count;
      }

      @Override
      public void close() {
        from.close();
      }
    };
  }
}
