package io.sifr.internal.readonly;

import io.sifr.error.CorruptionException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file in memory. Parts of it that are only zeros need not take any. Thread-safe. */
final class MemoryFile {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK_BYTES = 1 << CHUNK_BITS;
  private static final byte[] ZEROS = new byte[CHUNK_BYTES];

  private final Path path;

  /** The content; null stands for zeros. Guarded by this, as is what follows. */
  private final List<byte @Nullable []> chunks = new ArrayList<>();

  private int size;

  MemoryFile(Path path) {
    this.path = path;
  }

  /**
   * A copy of a file that another process may be writing to from its start to its end. It is read
   * from its end to its start: so if some of it is in the copy, all that was written before it is.
   */
  static MemoryFile copyBackwards(Path path, RandomReadFile source) {
    MemoryFile copy = new MemoryFile(path);
    copy.growTo(Math.toIntExact(source.size()));
    for (int i = copy.chunks.size() - 1; i >= 0; i--) {
      byte[] chunk = new byte[Math.min(CHUNK_BYTES, copy.size - (i << CHUNK_BITS))];
      source.readFully(ByteBuffer.wrap(chunk), (long) i << CHUNK_BITS);
      if (Arrays.mismatch(chunk, 0, chunk.length, ZEROS, 0, chunk.length) >= 0) {
        copy.chunks.set(i, Arrays.copyOf(chunk, CHUNK_BYTES));
      }
    }
    return copy;
  }

  synchronized int size() {
    return size;
  }

  /** Writes bytes, at the end or over others. */
  synchronized void write(long position, byte[] source, int offset, int length) {
    growTo(Math.addExact(Math.toIntExact(position), length));
    for (int done = 0; done < length; ) {
      int at = (int) position + done;
      int part = Math.min(length - done, CHUNK_BYTES - (at & (CHUNK_BYTES - 1)));
      byte[] chunk = chunks.get(at >>> CHUNK_BITS);
      if (chunk == null) {
        chunk = new byte[CHUNK_BYTES];
        chunks.set(at >>> CHUNK_BITS, chunk);
      }
      System.arraycopy(source, offset + done, chunk, at & (CHUNK_BYTES - 1), part);
      done += part;
    }
  }

  private void growTo(int end) {
    size = Math.max(size, end);
    while (chunks.size() << CHUNK_BITS < size) {
      chunks.add(null);
    }
  }

  /** Overwrites what lies after a position with zeros. */
  synchronized void clearFrom(int position) {
    int first = position >>> CHUNK_BITS;
    for (int i = first; i < chunks.size(); i++) {
      byte[] chunk = chunks.get(i);
      if (i > first) {
        chunks.set(i, null);
      } else if (chunk != null) {
        Arrays.fill(chunk, position & (CHUNK_BYTES - 1), CHUNK_BYTES, (byte) 0);
      }
    }
  }

  private synchronized void read(ByteBuffer target, long position) {
    if (position < 0 || target.remaining() > size - position) {
      throw new CorruptionException(
          path, position, "the file ends within the " + target.remaining() + " bytes wanted here");
    }
    int at = (int) position;
    while (target.hasRemaining()) {
      int part = Math.min(target.remaining(), CHUNK_BYTES - (at & (CHUNK_BYTES - 1)));
      byte[] chunk = chunks.get(at >>> CHUNK_BITS);
      target.put(chunk == null ? ZEROS : chunk, at & (CHUNK_BYTES - 1), part);
      at += part;
    }
  }

  RandomReadFile openForRead() {
    return new Reader(this, size());
  }

  AppendFile openToAppend() {
    return new Appender(this);
  }

  RandomWriteFile openForWrite() {
    return new Writer(this);
  }

  /** Its content as it is now. */
  MappedRegion map() {
    ByteBuffer content = ByteBuffer.allocate(size());
    read(content, 0);
    return new HeldFile.View(content.flip().asReadOnlyBuffer());
  }

  private record Reader(MemoryFile file, long size) implements RandomReadFile {
    @Override
    public void readFully(ByteBuffer target, long position) {
      file.read(target, position);
    }

    @Override
    public void close() {}
  }

  private record Writer(MemoryFile file) implements RandomWriteFile {
    @Override
    public void write(byte[] source, int offset, int length, long position) {
      file.write(position, source, offset, length);
    }

    @Override
    public void sync() {}

    @Override
    public void close() {}
  }

  private record Appender(MemoryFile file) implements AppendFile {
    @Override
    public void append(ByteBuffer source) {
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      append(bytes, 0, bytes.length);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      file.write(file.size(), source, offset, length);
    }

    @Override
    public long position() {
      return file.size();
    }

    @Override
    public void sync() {}

    @Override
    public void close() {}
  }
}
