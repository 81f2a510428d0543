package io.sifr.behaviour;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file system that can do in a directory only what object storage can that is mounted there:
 * files are written once, from the start, and then read by position, listed and deleted.
 */
class ObjectStorage extends ForwardingFileSystem {
  private final Path directory;

  /** How often files were asked for, opened or read there. */
  final AtomicInteger touched = new AtomicInteger();

  /** How often files were read there. */
  final AtomicInteger reads = new AtomicInteger();

  ObjectStorage(StoreFileSystem delegate, Path directory) {
    super(delegate);
    this.directory = directory;
  }

  final boolean isThere(Path file) {
    return file.startsWith(directory);
  }

  private void touch(Path file) {
    if (isThere(file)) {
      touched.incrementAndGet();
    }
  }

  private void refuse(Path file, String what) {
    if (isThere(file)) {
      throw new AssertionError(file + " cannot be " + what);
    }
  }

  @Override
  public boolean exists(Path file) {
    touch(file);
    return super.exists(file);
  }

  @Override
  public long size(Path file) {
    touch(file);
    return super.size(file);
  }

  @Override
  public AppendFile createDirect(Path file) {
    return isThere(file) ? create(file) : super.createDirect(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    touch(file);
    RandomReadFile opened = super.openForRead(file);
    return isThere(file) ? new Counted(opened) : opened;
  }

  /** Counts its reads. */
  private final class Counted extends ForwardingRandomReadFile {
    Counted(RandomReadFile file) {
      super(file);
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      touched.incrementAndGet();
      reads.incrementAndGet();
      super.readFully(target, position);
    }
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    if (isThere(file)) {
      throw new UnsupportedOperationException("no direct I/O");
    }
    return super.openForDirectRead(file);
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    refuse(file, "mapped");
    return super.mapForRead(file, size);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    refuse(file, "overwritten");
    return super.openForWrite(file, size);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    refuse(file, "overwritten");
    return super.openToGrow(file);
  }

  @Override
  public void rename(Path source, Path target) {
    refuse(source, "renamed");
    refuse(target, "renamed");
    super.rename(source, target);
  }

  @Override
  public boolean link(Path file, Path second) {
    refuse(second, "linked");
    return !isThere(file) && super.link(file, second);
  }

  @Override
  public DirectoryLock lock(Path locked, String lockFileName) {
    refuse(locked, "locked");
    return super.lock(locked, lockFileName);
  }
}
