package io.sifr.internal.io.memory;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link HeapFile} that somebody has open, under whatever name it was opened. Once it is closed
 * it keeps nothing of the file in memory.
 */
abstract sealed class HeapHandle {
  final Path path;

  /** Null when it is closed. */
  private volatile @Nullable HeapFile file;

  private HeapHandle(Path path, HeapFile file) {
    this.path = path;
    this.file = file;
  }

  /** To be written to: the failure is that of a closed stream. */
  HeapFile open(String operation) {
    HeapFile opened = file;
    if (opened == null) {
      throw new StoreIoException(path, operation, new IOException("the file is closed"));
    }
    return opened;
  }

  @Nullable HeapFile fileIfOpen() {
    return file;
  }

  /** Nothing survives the process, whether it is synced or not. */
  public void sync() {
    HeapFile unused = open("sync");
  }

  /** Calls after the first have no effect. */
  public void close() {
    file = null;
  }

  /** Appended to. */
  static final class Appending extends HeapHandle implements AppendFile {
    private long position;

    Appending(Path path, HeapFile file) {
      super(path, file);
    }

    @Override
    public void append(ByteBuffer source) {
      int length = source.remaining();
      open("write").write(path, source, position);
      position += length;
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      append(ByteBuffer.wrap(source, offset, length));
    }

    @Override
    public long position() {
      return position;
    }
  }

  /** Read. */
  static final class Reading extends HeapHandle implements RandomReadFile {
    private volatile long size;

    Reading(Path path, HeapFile file) {
      super(path, file);
      this.size = file.size();
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      if (position < 0) {
        throw new IllegalArgumentException("position is " + position + "; it cannot be negative");
      }
      HeapFile read = fileIfOpen();
      if (read == null) {
        throw new IllegalStateException(path + " is closed");
      }
      int wanted = target.remaining();
      if (wanted > size - position) {
        size = read.size(); // it may have grown
        if (wanted > size - position) {
          throw new CorruptionException(
              path,
              position,
              "the file ends within the " + wanted + " bytes wanted here; it had " + size);
        }
      }
      read.read(target, position);
    }
  }

  /** Overwritten. */
  static final class Writing extends HeapHandle implements RandomWriteFile {
    private final long size;

    Writing(Path path, HeapFile file, long size) {
      super(path, file);
      this.size = size;
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      if (position < 0 || length < 0 || position > size - length) {
        throw new IllegalArgumentException(
            length + " bytes at " + position + " do not lie within the " + size + " of " + path);
      }
      open("write").write(path, ByteBuffer.wrap(source, offset, length), position);
    }
  }

  /** Overwritten and appended to. */
  static final class Growing extends HeapHandle implements RandomWriteFile {
    private long end;

    Growing(Path path, HeapFile file) {
      super(path, file);
      this.end = file.size();
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      if (position < 0 || length < 0 || position > end) {
        throw new IllegalArgumentException(
            length + " bytes at " + position + " do not begin within the " + end + " of " + path);
      }
      open("write").write(path, ByteBuffer.wrap(source, offset, length), position);
      end = Math.max(end, position + length);
    }
  }

  /** Mapped. */
  static final class Mapping extends HeapHandle implements MappedRegion {
    private final boolean isWritable;
    private volatile @Nullable ByteBuffer buffer;

    Mapping(Path path, HeapFile file, int bytes, boolean isWritable) {
      super(path, file);
      this.isWritable = isWritable;
      this.buffer = isWritable ? file.mapWritable(path, bytes) : file.map(path, bytes);
    }

    @Override
    public ByteBuffer buffer() {
      ByteBuffer mapped = buffer;
      if (mapped == null) {
        throw new IllegalStateException(path + " is not mapped any more");
      }
      return mapped;
    }

    @Override
    public boolean isInMemory(int from, int length) {
      return true;
    }

    @Override
    public void announce(int from, int length) {}

    @Override
    public void force(int from, int length) {
      int unused = Objects.checkFromIndexSize(from, length, buffer().capacity());
    }

    @Override
    public synchronized void close() {
      HeapFile mapped = fileIfOpen();
      if (mapped != null) {
        super.close();
        buffer = null;
        if (isWritable) {
          mapped.unmapWritable();
        }
      }
    }
  }
}
