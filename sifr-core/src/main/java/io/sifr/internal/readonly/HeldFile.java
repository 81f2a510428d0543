package io.sifr.internal.readonly;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is never changed, and stays readable after its name is gone: it is mapped, which
 * takes no file descriptor, and which no interrupt of a reader closes; or else, where SSTs cannot
 * be mapped, it is open. It ends when all who hold it have let go. Thread-safe.
 */
final class HeldFile {
  private final Path path;
  private final @Nullable MappedRegion region;

  /** If it is not mapped. */
  private final @Nullable RandomReadFile file;

  private int holders = 1;

  /** Maps a file; the caller holds it. */
  HeldFile(StoreFileSystem disk, Path path) {
    boolean isMapped =
        disk.mapsSsts() || FileKind.SST.numberOf(String.valueOf(path.getFileName())).isEmpty();
    this.path = path;
    this.region = isMapped ? disk.mapForRead(path, disk.size(path)) : null;
    this.file = isMapped ? null : disk.openForRead(path);
  }

  /** One more holds it. The caller knows that somebody does. */
  synchronized HeldFile hold() {
    holders++;
    return this;
  }

  /** One who held it does not any more. */
  synchronized void letGo() {
    if (--holders == 0) {
      if (file == null) {
        region().close();
      } else {
        file.close();
      }
    }
  }

  /** Its size in bytes. */
  long size() {
    return file == null ? region().buffer().capacity() : file.size();
  }

  /** Whether that file is this one: it has its header, which no other file has. */
  boolean isSame(StoreFileSystem disk, Path other) {
    if (disk.size(other) != size()) {
      return false;
    }
    int length = (int) Math.min(FileHeader.BYTES, size());
    ByteBuffer own = ByteBuffer.allocate(length);
    ByteBuffer found = ByteBuffer.allocate(length);
    try (RandomReadFile here = openForRead();
        RandomReadFile there = disk.openForRead(other)) {
      here.readFully(own, 0);
      there.readFully(found, 0);
    }
    return own.flip().equals(found.flip());
  }

  /** As a mapping, which is there as long as the file is held. */
  MappedRegion map() {
    return new View(region().buffer());
  }

  private MappedRegion region() {
    return Objects.requireNonNull(region);
  }

  /** To read positions. */
  RandomReadFile openForRead() {
    return file == null ? new Reader(path, region().buffer()) : new OpenReader(file);
  }

  /** A file that somebody else closes. */
  private record OpenReader(RandomReadFile file) implements RandomReadFile {
    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      file.readFully(target, position);
    }

    @Override
    public void close() {}
  }

  /** A mapping that somebody else ends. */
  record View(ByteBuffer buffer) implements MappedRegion {
    @Override
    public void force(int from, int length) {
      throw new UnsupportedOperationException("the file is only read");
    }

    @Override
    public void close() {}
  }

  private record Reader(Path path, ByteBuffer content) implements RandomReadFile {
    @Override
    public long size() {
      return content.capacity();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      int length = target.remaining();
      if (position < 0 || length > content.capacity() - position) {
        throw new CorruptionException(
            path, position, "the file ends within the " + length + " bytes wanted here");
      }
      try {
        target.put(content.slice((int) position, length));
        MappingFaults.raise();
      } catch (InternalError e) {
        throw new UnreadableException(path, position, new IOException(e));
      }
    }

    @Override
    public void close() {}
  }
}
