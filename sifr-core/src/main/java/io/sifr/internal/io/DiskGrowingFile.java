package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Overwrites and appends through a stream. */
final class DiskGrowingFile extends DiskStream implements RandomWriteFile {
  // The end of what was written: a write that begins after it would leave a hole.
  private long end;

  DiskGrowingFile(Path file, RandomAccessFile stream) throws IOException {
    super(file, stream);
    this.end = stream.length();
  }

  @Override
  public void write(byte[] source, int offset, int length, long position) {
    if (position < 0 || length < 0 || position > end) {
      throw new IllegalArgumentException(
          length + " bytes at " + position + " do not begin within the " + end + " of " + file);
    }
    try {
      stream.seek(position);
      stream.write(source, offset, length);
      end = Math.max(end, position + length);
    } catch (IOException e) {
      throw IoErrors.translateWrite(file, "write", e);
    }
  }
}
