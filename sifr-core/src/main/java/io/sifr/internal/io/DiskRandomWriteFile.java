package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Overwrites through a stream. */
final class DiskRandomWriteFile extends DiskStream implements RandomWriteFile {
  private final long size;
  // Position of the stream: records follow each other, so most writes need no seek.
  private long streamPosition;

  DiskRandomWriteFile(Path file, RandomAccessFile stream, long size) {
    super(file, stream);
    this.size = size;
  }

  @Override
  public void write(byte[] source, int offset, int length, long position) {
    if (position < 0 || length < 0 || position > size - length) {
      throw new IllegalArgumentException(
          length + " bytes at " + position + " do not lie within the " + size + " of " + file);
    }
    try {
      if (position != streamPosition) {
        stream.seek(position);
      }
      streamPosition = -1;
      stream.write(source, offset, length);
      streamPosition = position + length;
    } catch (IOException e) {
      throw IoErrors.translateWrite(file, "write", e);
    }
  }
}
