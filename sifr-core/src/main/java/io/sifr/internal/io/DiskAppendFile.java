package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Appends through a stream. */
final class DiskAppendFile extends DiskStream implements AppendFile {
  /**
   * The platform copies each write into memory it allocates for the call; this bounds that memory.
   */
  private static final int CHUNK_BYTES = 256 << 10;

  private byte @Nullable [] chunk;
  private long position;

  DiskAppendFile(Path file, RandomAccessFile stream) {
    super(file, stream);
  }

  @Override
  public void append(ByteBuffer source) {
    if (source.hasArray()) {
      append(source.array(), source.arrayOffset() + source.position(), source.remaining());
      source.position(source.limit());
      return;
    }
    byte[] copy = chunk();
    while (source.hasRemaining()) {
      int length = Math.min(source.remaining(), copy.length);
      source.get(copy, 0, length);
      append(copy, 0, length);
    }
  }

  @Override
  public void append(byte[] source, int offset, int length) {
    try {
      for (int done = 0; done < length; ) {
        int part = Math.min(length - done, CHUNK_BYTES);
        stream.write(source, offset + done, part);
        done += part;
        position += part;
      }
    } catch (IOException e) {
      throw IoErrors.translateWrite(file, "write", e);
    }
  }

  private byte[] chunk() {
    if (chunk == null) {
      chunk = new byte[CHUNK_BYTES];
    }
    return chunk;
  }

  @Override
  public long position() {
    return position;
  }
}
