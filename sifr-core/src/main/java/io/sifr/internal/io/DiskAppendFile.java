package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Appends through the stream calls of {@link RandomAccessFile}, which know nothing of interrupts
 * and loop over short writes themselves; a channel would be closed by the first interrupt.
 */
final class DiskAppendFile implements AppendFile {
  /** The platform copies what is written into memory it allocates for the call: bound that. */
  private static final int CHUNK_BYTES = 256 << 10;

  private final Path file;
  private final RandomAccessFile stream;
  private byte @Nullable [] chunk;
  private long position;

  DiskAppendFile(Path file, RandomAccessFile stream) {
    this.file = file;
    this.stream = stream;
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
      throw IoErrors.translate(file, "write", e);
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

  @Override
  public void sync() {
    try {
      stream.getFD().sync();
    } catch (IOException e) {
      throw IoErrors.translate(file, "sync", e);
    }
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw IoErrors.translate(file, "close", e);
    }
  }
}
