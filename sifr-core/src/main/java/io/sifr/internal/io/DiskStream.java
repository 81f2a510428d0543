package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file written through {@link RandomAccessFile}, which ignores interrupts and handles short
 * writes itself; a channel would be closed by the first interrupt.
 */
abstract class DiskStream {
  final Path file;
  final RandomAccessFile stream;

  DiskStream(Path file, RandomAccessFile stream) {
    this.file = file;
    this.stream = stream;
  }

  /** Makes everything written before the call durable. */
  public void sync() {
    try {
      stream.getFD().sync();
    } catch (IOException e) {
      throw IoErrors.translate(file, "sync", e);
    }
  }

  /** Closes the file without syncing it. */
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw IoErrors.translate(file, "close", e);
    }
  }

  /** Appends through a stream. */
  static final class DiskAppendFile extends DiskStream implements AppendFile {
    /**
     * The platform copies each write into memory it allocates for the call; this bounds that
     * memory.
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

  /** Overwrites and appends through a stream. */
  static final class DiskGrowingFile extends DiskStream implements RandomWriteFile {
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

  /**
   * Overwrites through a stream, and syncs through a channel: a stream can only sync the time of
   * the last change too, which costs a file system with a journal more than the data. It is an
   * asynchronous channel because those are not closed by an interrupt; its sync is a call like any
   * other.
   */
  static final class DiskRandomWriteFile extends DiskStream implements RandomWriteFile {
    private final AsynchronousFileChannel content;
    private final long size;
    // Position of the stream: records follow each other, so most writes need no seek.
    private long streamPosition;

    DiskRandomWriteFile(Path file, RandomAccessFile stream, long size) throws IOException {
      super(file, stream);
      this.content =
          AsynchronousFileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      this.size = size;
    }

    @Override
    public void sync() {
      try {
        content.force(false);
      } catch (IOException e) {
        throw IoErrors.translate(file, "sync", e);
      }
    }

    @Override
    public void close() {
      try (content) {
        super.close();
      } catch (IOException e) {
        throw IoErrors.translate(file, "close", e);
      }
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
}
