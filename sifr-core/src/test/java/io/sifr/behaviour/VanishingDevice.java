package io.sifr.behaviour;

import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A file system in which a directory can vanish with its device, and come back. What was opened
 * before it vanished is unreadable for good, as after a mount that was forced to end.
 */
final class VanishingDevice extends ForwardingFileSystem {
  /** What the platform says of a device that is gone. */
  enum Sign {
    /** It does not answer. */
    ERRORS,
    /** The mount is gone: an empty directory is there instead. */
    NO_FILES
  }

  private final Path directory;
  private volatile @Nullable Sign gone;

  /** How often it has vanished. */
  private final AtomicInteger times = new AtomicInteger();

  VanishingDevice(StoreFileSystem delegate, Path directory) {
    super(delegate);
    this.directory = directory;
  }

  void vanish(Sign sign) {
    times.incrementAndGet();
    gone = sign;
  }

  void comeBack() {
    gone = null;
  }

  private boolean isThere(Path file) {
    return file.startsWith(directory);
  }

  /** Fails if it is gone. */
  private void need(Path file) {
    Sign sign = gone;
    if (sign != null && isThere(file)) {
      IOException why =
          sign == Sign.ERRORS
              ? new IOException("Input/output error")
              : new NoSuchFileException(file.toString());
      throw new StoreIoException(file, "use", why);
    }
  }

  private boolean isHidden(Path file) {
    return gone == Sign.NO_FILES && isThere(file) && !file.equals(directory);
  }

  @Override
  public boolean exists(Path file) {
    if (isHidden(file)) {
      return false;
    }
    need(file);
    return super.exists(file);
  }

  @Override
  public List<String> list(Path listed) {
    if (isLeftInstead(listed)) {
      return List.of();
    }
    need(listed);
    return super.list(listed);
  }

  @Override
  public long size(Path file) {
    need(file);
    return super.size(file);
  }

  @Override
  public long usableBytes(Path of) {
    if (!isLeftInstead(of)) {
      need(of);
    }
    return super.usableBytes(of);
  }

  private boolean isLeftInstead(Path listed) {
    return gone == Sign.NO_FILES && listed.equals(directory);
  }

  @Override
  public AppendFile create(Path file) {
    needForNew(file);
    return super.create(file);
  }

  @Override
  public AppendFile createDirect(Path file) {
    needForNew(file);
    return super.createDirect(file);
  }

  /** In what is left there instead a file can be created, but is hidden by the next mount. */
  private void needForNew(Path file) {
    if (isHidden(file)) {
      throw new AssertionError(file + " is created where no device is mounted");
    }
    need(file);
  }

  @Override
  public void delete(Path file) {
    if (!isHidden(file)) {
      need(file);
      super.delete(file);
    }
  }

  @Override
  public void syncDirectory(Path synced) {
    if (!isLeftInstead(synced)) {
      need(synced);
    }
    super.syncDirectory(synced);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    need(file);
    RandomReadFile opened = super.openForRead(file);
    return isThere(file) ? new Opened(file, opened) : opened;
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    need(file);
    RandomReadFile opened = super.openForDirectRead(file);
    return isThere(file) ? new Opened(file, opened) : opened;
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    need(file);
    return super.mapForRead(file, size);
  }

  private final class Opened extends ForwardingRandomReadFile {
    private final Path file;
    private final int before = times.get();

    Opened(Path file, RandomReadFile delegate) {
      super(delegate);
      this.file = file;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      if (before != times.get()) {
        target.put((byte) 0); // a part of it may have been read
        throw new UnreadableException(file, position, new IOException("Stale file handle"));
      }
      super.readFully(target, position);
    }
  }
}
