package io.sifr.internal.backup;

import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/** The first bytes of a file as a stream. Used by one thread. */
final class FileStream extends InputStream {
  private final RandomReadFile file;
  private final long bytes;
  private final Runnable eachStep;
  private long at;

  /**
   * Opens a file.
   *
   * @param bytes how many; the file has at least as many
   * @param eachStep called before each piece; throws to end a copy
   */
  FileStream(StoreFileSystem fileSystem, Path file, long bytes, Runnable eachStep) {
    this.file = fileSystem.openForRead(file);
    this.bytes = bytes;
    this.eachStep = eachStep;
  }

  /** Bytes that were read. */
  long position() {
    return at;
  }

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
    file.readFully(ByteBuffer.wrap(target, offset, count), at);
    at += count;
    return count;
  }

  @Override
  public void close() {
    file.close();
  }
}
