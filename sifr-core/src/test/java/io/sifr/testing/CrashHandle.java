package io.sifr.testing;

import io.sifr.error.CorruptionException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/** A file of a {@link CrashDisk} that somebody has open, under whatever name it was opened. */
abstract class CrashHandle implements AutoCloseable {
  final CrashDisk disk;
  final Path path;
  final CrashFile file;
  private boolean closed; // guarded by disk

  CrashHandle(CrashDisk disk, Path path, CrashFile file) {
    this.disk = disk;
    this.path = path;
    this.file = file;
    file.opened();
  }

  void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("Stream Closed");
    }
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    disk.look(
        "close",
        path,
        () -> {
          if (!closed) {
            closed = true;
            letGo();
            file.closed();
            disk.freeIfGone(file);
          }
          return path;
        });
  }

  /** What else it takes to close it. */
  void letGo() {}

  /** Syncs all of the file. */
  void syncFile() {
    disk.change(
        "sync",
        path,
        () -> {
          requireOpen();
          file.syncHalf(0, file.size());
          return file;
        },
        () -> {
          file.sync();
          return file;
        });
  }

  static final class Appending extends CrashHandle implements AppendFile {
    Appending(CrashDisk disk, Path path, CrashFile file) {
      super(disk, path, file);
    }

    @Override
    public void append(ByteBuffer source) {
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      append(bytes, 0, bytes.length);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      int half = length / 2;
      disk.change(
          "append to",
          path,
          () -> append(source, offset, half, file.size()),
          () -> append(source, offset + half, length - half, file.size()));
    }

    private Path append(byte[] source, int offset, int length, int position) throws IOException {
      requireOpen();
      disk.write(path, file, source, offset, length, position);
      return path;
    }

    @Override
    public long position() {
      synchronized (disk) {
        disk.checkAlive();
        return file.size();
      }
    }

    @Override
    public void sync() {
      syncFile();
    }
  }

  static final class Reading extends CrashHandle implements RandomReadFile {
    private long size; // guarded by the disk

    Reading(CrashDisk disk, Path path, CrashFile file) {
      super(disk, path, file);
      this.size = file.size();
    }

    @Override
    public long size() {
      synchronized (disk) {
        disk.checkAlive();
        return size;
      }
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      if (position < 0) {
        throw new IllegalArgumentException("position is " + position + "; it cannot be negative");
      }
      disk.look(
          "read",
          path,
          () -> {
            if (isClosed()) {
              throw new IllegalStateException(path + " is closed");
            }
            if (target.remaining() > size - position) {
              size = file.size();
            }
            if (target.remaining() > size - position) {
              throw new CorruptionException(
                  path,
                  position,
                  "the file ends within the "
                      + target.remaining()
                      + " bytes wanted here; it had "
                      + size);
            }
            file.read(target, (int) position);
            return target;
          });
    }
  }

  static final class Writing extends CrashHandle implements RandomWriteFile {
    private final long size;

    Writing(CrashDisk disk, Path path, CrashFile file, long size) {
      super(disk, path, file);
      this.size = size;
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      if (position < 0 || length < 0 || position > size - length) {
        throw new IllegalArgumentException(
            length + " bytes at " + position + " do not lie within the " + size + " of " + path);
      }
      int half = length / 2;
      disk.change(
          "write to",
          path,
          () -> overwrite(source, offset, half, (int) position),
          () -> overwrite(source, offset + half, length - half, (int) position + half));
    }

    private Path overwrite(byte[] source, int offset, int length, int position) throws IOException {
      requireOpen();
      file.write(source, offset, length, position);
      return path;
    }

    @Override
    public void sync() {
      syncFile();
    }
  }

  static final class Growing extends CrashHandle implements RandomWriteFile {
    Growing(CrashDisk disk, Path path, CrashFile file) {
      super(disk, path, file);
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      int half = length / 2;
      disk.change(
          "write to",
          path,
          () -> write(source, offset, half, (int) position, position),
          () -> write(source, offset + half, length - half, (int) position + half, position));
    }

    private Path write(byte[] source, int offset, int length, int position, long first)
        throws IOException {
      requireOpen();
      if (first < 0 || length < 0 || first > file.size()) {
        throw new IllegalArgumentException(
            "bytes at " + first + " do not begin within the " + file.size() + " of " + path);
      }
      disk.write(path, file, source, offset, length, position);
      return path;
    }

    @Override
    public void sync() {
      syncFile();
    }
  }

  static final class Mapping extends CrashHandle implements MappedRegion {
    private final ByteBuffer buffer;
    private final boolean writable;

    Mapping(CrashDisk disk, Path path, CrashFile file, int size, boolean writable) {
      super(disk, path, file);
      this.buffer = file.map(size, writable);
      this.writable = writable;
    }

    @Override
    public ByteBuffer buffer() {
      synchronized (disk) {
        disk.checkAlive();
        requireMapped();
        return buffer;
      }
    }

    private void requireMapped() {
      if (isClosed()) {
        throw new IllegalStateException(path + " is not mapped any more");
      }
    }

    @Override
    public void force(int from, int length) {
      Objects.checkFromIndexSize(from, length, buffer.capacity());
      disk.change(
          "force",
          path,
          () -> {
            requireMapped();
            file.syncHalf(from, length);
            return path;
          },
          () -> {
            file.sync(from, length);
            return path;
          });
    }

    @Override
    void letGo() {
      file.unmap(writable);
    }
  }
}
