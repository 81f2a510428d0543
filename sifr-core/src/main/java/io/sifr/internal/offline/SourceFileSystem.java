package io.sifr.internal.offline;

import io.sifr.error.StoreIoException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file system a store is salvaged from, read-only. Pages that the device cannot deliver read as
 * zeros, which no checksum accepts, and are recorded.
 */
public final class SourceFileSystem implements StoreFileSystem {
  private static final int PAGE_BYTES = 4096;

  private final StoreFileSystem delegate;

  /** File → offset of an unreadable page → why. */
  private final Map<Path, Map<Long, String>> unreadable = new TreeMap<>();

  /** Reads from that file system. */
  public SourceFileSystem(StoreFileSystem delegate) {
    this.delegate = delegate;
  }

  /** Receives the pages that could not be read. */
  public interface UnreadableVisitor {
    /** Neighbouring pages of a file, and why the first of them could not be read. */
    void unreadable(Path file, long offset, long bytes, String why);
  }

  /** Reports the pages that could not be read, neighbours as one. */
  public void forEachUnreadable(UnreadableVisitor visitor) {
    unreadable.forEach(
        (file, pages) -> {
          long from = -1;
          long end = -1;
          String why = "";
          for (Map.Entry<Long, String> page : pages.entrySet()) {
            if (page.getKey() != end) {
              tell(visitor, file, from, end, why);
              from = page.getKey();
              why = page.getValue();
            }
            end = page.getKey() + PAGE_BYTES;
          }
          tell(visitor, file, from, end, why);
        });
  }

  private static void tell(UnreadableVisitor visitor, Path file, long from, long end, String why) {
    if (from >= 0) {
      visitor.unreadable(file, from, end - from, why);
    }
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return new PatchedFile(file, delegate.openForRead(file));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    throw new UnsupportedOperationException("damage that was made good lies in memory");
  }

  private final class PatchedFile implements RandomReadFile {
    private final Path file;
    private final RandomReadFile whole;

    PatchedFile(Path file, RandomReadFile whole) {
      this.file = file;
      this.whole = whole;
    }

    @Override
    public long size() {
      return whole.size();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      int from = target.position();
      try {
        whole.readFully(target, position);
      } catch (StoreIoException e) {
        target.position(from);
        readPages(target, position);
      }
    }

    private void readPages(ByteBuffer target, long position) {
      int limit = target.limit();
      long at = position;
      while (target.position() < limit) {
        int begin = target.position();
        int inPage = PAGE_BYTES - (int) (at % PAGE_BYTES);
        int end = Math.min(limit, begin + inPage);
        target.limit(end);
        try {
          whole.readFully(target, at);
        } catch (StoreIoException e) {
          unreadable
              .computeIfAbsent(file, f -> new TreeMap<>())
              .put(at - at % PAGE_BYTES, String.valueOf(e.getMessage()));
          target.position(begin);
          target.put(new byte[end - begin]);
        }
        at += end - begin;
        target.limit(limit).position(end);
      }
    }

    @Override
    public void close() {
      whole.close();
    }
  }

  @Override
  public Path realPath(Path directory) {
    return delegate.realPath(directory);
  }

  @Override
  public boolean isDirectory(Path path) {
    return delegate.isDirectory(path);
  }

  @Override
  public List<String> list(Path directory) {
    return delegate.list(directory);
  }

  @Override
  public boolean exists(Path file) {
    return delegate.exists(file);
  }

  @Override
  public long size(Path file) {
    return delegate.size(file);
  }

  @Override
  public long usableBytes(Path directory) {
    return delegate.usableBytes(directory);
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    return delegate.lockForReading(directory, lockFileName);
  }

  @Override
  public FileKeys keys() {
    return delegate.keys();
  }

  @Override
  public void createDirectories(Path directory) {
    throw refused(directory);
  }

  @Override
  public AppendFile create(Path file) {
    throw refused(file);
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    // A page of a mapping that cannot be read throws no exception where it is accessed.
    throw refused(file);
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    throw refused(file);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    throw refused(file);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    throw refused(file);
  }

  @Override
  public void rename(Path source, Path target) {
    throw refused(source);
  }

  @Override
  public boolean link(Path file, Path second) {
    throw refused(file);
  }

  @Override
  public void delete(Path file) {
    throw refused(file);
  }

  @Override
  public void syncDirectory(Path directory) {
    throw refused(directory);
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    throw refused(directory);
  }

  private static UnsupportedOperationException refused(Path file) {
    return new UnsupportedOperationException(file + " is salvaged from, and only read");
  }
}
