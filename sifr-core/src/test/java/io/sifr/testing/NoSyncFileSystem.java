package io.sifr.testing;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Makes nothing durable: for tests without a power loss, which would spend their time waiting for
 * the device. Or only some things not: for tests that have to notice it.
 */
public final class NoSyncFileSystem extends ForwardingFileSystem {
  private final Predicate<Path> skipped;

  public NoSyncFileSystem(StoreFileSystem delegate) {
    this(delegate, path -> true);
  }

  /**
   * @param skipped which files and directories are not made durable, by the path under which a file
   *     was opened
   */
  public NoSyncFileSystem(StoreFileSystem delegate, Predicate<Path> skipped) {
    super(delegate);
    this.skipped = skipped;
  }

  @Override
  public AppendFile create(Path file) {
    return unsynced(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    return unsynced(file, super.createDirect(file));
  }

  private AppendFile unsynced(Path file, AppendFile created) {
    if (!skipped.test(file)) {
      return created;
    }
    return new AppendFile() {
      @Override
      public void append(ByteBuffer source) {
        created.append(source);
      }

      @Override
      public void append(byte[] source, int offset, int length) {
        created.append(source, offset, length);
      }

      @Override
      public long position() {
        return created.position();
      }

      @Override
      public void sync() {
        // that is the point
      }

      @Override
      public void close() {
        created.close();
      }
    };
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return writing(file, super.openForWrite(file, size));
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return writing(file, super.openToGrow(file));
  }

  private RandomWriteFile writing(Path file, RandomWriteFile opened) {
    if (!skipped.test(file)) {
      return opened;
    }
    return new ForwardingRandomWriteFile(opened) {
      @Override
      public void sync() {
        // that is the point
      }
    };
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    MappedRegion mapped = super.mapForWrite(file, size);
    if (!skipped.test(file)) {
      return mapped;
    }
    return new MappedRegion() {
      @Override
      public ByteBuffer buffer() {
        return mapped.buffer();
      }

      @Override
      public void force(int from, int length) {
        // that is the point
      }

      @Override
      public void close() {
        mapped.close();
      }
    };
  }

  @Override
  public void syncDirectory(Path directory) {
    if (!skipped.test(directory)) {
      super.syncDirectory(directory);
    }
  }
}
