package io.sifr.internal.volume;

import static com.google.common.base.Preconditions.checkState;

import io.sifr.error.StoreIoException;
import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file in a {@link SideDirectory} that is read. When a read fails, it is opened again and read
 * once more: if the device was gone and is back, what was opened before may be unreadable for good.
 *
 * <p>Thread-safe.
 */
final class SideReadFile implements RandomReadFile {
  private static final Logger LOG = LoggerFactory.getLogger(SideReadFile.class);

  private final SideDirectory side;
  private final Path path;
  private final Function<Path, RandomReadFile> opening;

  /** Held by those who read; exclusively while the file is replaced or closed. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  // All guarded by the lock.
  private RandomReadFile file;
  private boolean keepsItsName;
  private boolean isClosed;

  /**
   * Opens it.
   *
   * @param side says why it cannot be read
   * @param opening opens it, now and perhaps again
   */
  SideReadFile(SideDirectory side, Path path, Function<Path, RandomReadFile> opening) {
    this.side = side;
    this.path = path;
    this.opening = opening;
    this.file = open();
  }

  private RandomReadFile open() {
    return side.read(path, () -> opening.apply(path));
  }

  @Override
  public void keepsItsName() {
    lock.writeLock().lock();
    try {
      keepsItsName = true;
      file.keepsItsName();
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public long size() {
    lock.readLock().lock();
    try {
      return file.size();
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void readFully(ByteBuffer target, long position) {
    read(target, open -> open.readFully(target, position));
  }

  @Override
  public void readNext(ByteBuffer target, long position) {
    read(target, open -> open.readNext(target, position));
  }

  private void read(ByteBuffer target, Consumer<RandomReadFile> read) {
    int start = target.position();
    int limit = target.limit();
    RandomReadFile failed = tryToRead(read);
    if (failed == null) {
      return;
    }
    replace(failed);
    target.limit(limit).position(start);
    lock.readLock().lock();
    try {
      side.read(
          path,
          () -> {
            read.accept(file);
            return file;
          });
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Returns null, or the file in which it has failed. */
  private @Nullable RandomReadFile tryToRead(Consumer<RandomReadFile> read) {
    lock.readLock().lock();
    try {
      read.accept(file);
      return null;
    } catch (StoreIoException e) {
      LOG.debug("{} is opened again: {}", path, e.getMessage());
      return file;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Opens it again if nobody has. What cannot be opened stays as it is. */
  private void replace(RandomReadFile failed) {
    lock.writeLock().lock();
    try {
      checkState(!isClosed, "%s is closed", path);
      if (!file.equals(failed)) {
        return;
      }
      file = open();
      if (keepsItsName) {
        file.keepsItsName();
      }
    } finally {
      lock.writeLock().unlock();
    }
    closeQuietly(failed);
  }

  /** It was only read. */
  private void closeQuietly(RandomReadFile failed) {
    try {
      failed.close();
    } catch (StoreIoException e) {
      LOG.debug("{} cannot be closed: {}", path, e.getMessage());
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      isClosed = true;
      file.close();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
