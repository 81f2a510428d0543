package io.sifr.testing;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Makes nothing durable: for tests without a power loss, which would spend their time waiting for
 * the device.
 */
public final class NoSyncFileSystem extends ForwardingFileSystem {
  public NoSyncFileSystem(StoreFileSystem delegate) {
    super(delegate);
  }

  @Override
  public AppendFile create(Path file) {
    AppendFile created = super.create(file);
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
    RandomWriteFile opened = super.openForWrite(file, size);
    return new RandomWriteFile() {
      @Override
      public void write(byte[] source, int offset, int length, long position) {
        opened.write(source, offset, length, position);
      }

      @Override
      public void sync() {
        // that is the point
      }

      @Override
      public void close() {
        opened.close();
      }
    };
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    MappedRegion mapped = super.mapForWrite(file, size);
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
    // that is the point
  }
}
