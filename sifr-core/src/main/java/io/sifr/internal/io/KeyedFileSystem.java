package io.sifr.internal.io;

import io.sifr.event.SstPlace;
import io.sifr.internal.crypt.FileKeys;
import java.nio.file.Path;
import java.util.List;

/** A file system whose files are encrypted with keys, see {@link #keys}. Thread-safe. */
public final class KeyedFileSystem implements StoreFileSystem {
  private final StoreFileSystem delegate;
  private final FileKeys keys;

  /**
   * @param delegate to which all calls are handed
   * @param keys of the files
   */
  public KeyedFileSystem(StoreFileSystem delegate, FileKeys keys) {
    this.delegate = delegate;
    this.keys = keys;
  }

  @Override
  public FileKeys keys() {
    return keys;
  }

  @Override
  public StoreFileSystem withoutOtherDevices() {
    StoreFileSystem without = delegate.withoutOtherDevices();
    return without.equals(delegate) ? this : new KeyedFileSystem(without, keys);
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
  public MappedRegion mapForRead(Path file, long size) {
    return delegate.mapForRead(file, size);
  }

  @Override
  public boolean announcesReads() {
    return delegate.announcesReads();
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
  public void renameDurably(Path directory, String source, String target) {
    delegate.renameDurably(directory, source, target);
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
  public boolean isVolatile(Path directory) {
    return delegate.isVolatile(directory);
  }

  @Override
  public boolean isInPlace(Path file, Path directory) {
    return delegate.isInPlace(file, directory);
  }

  @Override
  public Path placeForRows(Path directory) {
    return delegate.placeForRows(directory);
  }

  @Override
  public Path placeOf(Path file) {
    return delegate.placeOf(file);
  }

  @Override
  public Path placeForLog(Path directory, long bytes) {
    return delegate.placeForLog(directory, bytes);
  }

  @Override
  public void failed(Path file) {
    delegate.failed(file);
  }

  @Override
  public Path placeForLast(Path directory) {
    return delegate.placeForLast(directory);
  }

  @Override
  public boolean isFar(Path sst) {
    return delegate.isFar(sst);
  }

  @Override
  public SstPlace placeOfSst(Path directory, long number) {
    return delegate.placeOfSst(directory, number);
  }

  @Override
  public long writtenBytes(SstPlace place) {
    return delegate.writtenBytes(place);
  }

  @Override
  public boolean mapsSsts() {
    return delegate.mapsSsts();
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
}
