package io.sifr.testing;

import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Hands every call to another file system; a test overrides the few it watches or disturbs. */
public class ForwardingFileSystem implements StoreFileSystem {
  private final StoreFileSystem delegate;

  public ForwardingFileSystem(StoreFileSystem delegate) {
    this.delegate = delegate;
  }

  @Override
  public FileKeys keys() {
    return delegate.keys();
  }

  @Override
  public void createDirectories(Path directory) {
    delegate.createDirectories(directory);
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
  public AppendFile create(Path file) {
    return delegate.create(file);
  }

  /** Not by {@link #create}: what a test does there it has to do here too. */
  @Override
  public AppendFile createDirect(Path file) {
    return delegate.createDirect(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return delegate.openForRead(file);
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return delegate.openForDirectRead(file);
  }

  @Override
  public boolean announcesReads() {
    return delegate.announcesReads();
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return delegate.mapForRead(file, size);
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return delegate.mapForWrite(file, size);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return delegate.openForWrite(file, size);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return delegate.openToGrow(file);
  }

  @Override
  public void rename(Path source, Path target) {
    delegate.rename(source, target);
  }

  @Override
  public boolean link(Path file, Path second) {
    return delegate.link(file, second);
  }

  @Override
  public void delete(Path file) {
    delegate.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) {
    delegate.syncDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) {
    return delegate.usableBytes(directory);
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    return delegate.lock(directory, lockFileName);
  }

  @Override
  public void reached(CrashPoint point) {
    delegate.reached(point);
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    return delegate.lockForReading(directory, lockFileName);
  }

  /** Hands every call to another file. */
  public static class ForwardingAppendFile implements AppendFile {
    private final AppendFile delegate;

    public ForwardingAppendFile(AppendFile delegate) {
      this.delegate = delegate;
    }

    @Override
    public void append(ByteBuffer source) {
      delegate.append(source);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      delegate.append(source, offset, length);
    }

    @Override
    public long position() {
      return delegate.position();
    }

    @Override
    public void sync() {
      delegate.sync();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  /** Hands every call to another file. */
  public static class ForwardingRandomReadFile implements RandomReadFile {
    private final RandomReadFile delegate;

    public ForwardingRandomReadFile(RandomReadFile delegate) {
      this.delegate = delegate;
    }

    @Override
    public long size() {
      return delegate.size();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      delegate.readFully(target, position);
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  /** Hands every call to another file. */
  public static class ForwardingRandomWriteFile implements RandomWriteFile {
    private final RandomWriteFile delegate;

    public ForwardingRandomWriteFile(RandomWriteFile delegate) {
      this.delegate = delegate;
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      delegate.write(source, offset, length, position);
    }

    @Override
    public void sync() {
      delegate.sync();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  /** Hands every call to another region. */
  public static class ForwardingMappedRegion implements MappedRegion {
    private final MappedRegion delegate;

    public ForwardingMappedRegion(MappedRegion delegate) {
      this.delegate = delegate;
    }

    @Override
    public ByteBuffer buffer() {
      return delegate.buffer();
    }

    @Override
    public boolean isInMemory(int from, int length) {
      return delegate.isInMemory(from, length);
    }

    @Override
    public void announce(int from, int length) {
      delegate.announce(from, length);
    }

    @Override
    public void force(int from, int length) {
      delegate.force(from, length);
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  /** Hands every call to another lock. */
  public static class ForwardingDirectoryLock implements DirectoryLock {
    private final DirectoryLock delegate;

    public ForwardingDirectoryLock(DirectoryLock delegate) {
      this.delegate = delegate;
    }

    @Override
    public void close() {
      delegate.close();
    }
  }
}
