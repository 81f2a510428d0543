package io.sifr.internal.sst.write;

import io.sifr.internal.io.AppendFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Keeps the checksum of all that is appended to a file. Used by one thread at a time. */
final class ChecksummedFile implements AppendFile {
  private final AppendFile file;
  private final CRC32C crc = new CRC32C();

  ChecksummedFile(AppendFile file) {
    this.file = file;
  }

  /** CRC32C of what was appended so far. */
  int checksum() {
    return (int) crc.getValue();
  }

  @Override
  public void append(ByteBuffer source) {
    crc.update(source.duplicate());
    file.append(source);
  }

  @Override
  public void append(byte[] source, int offset, int length) {
    crc.update(source, offset, length);
    file.append(source, offset, length);
  }

  @Override
  public long position() {
    return file.position();
  }

  @Override
  public void sync() {
    file.sync();
  }

  @Override
  public void close() {
    file.close();
  }
}
