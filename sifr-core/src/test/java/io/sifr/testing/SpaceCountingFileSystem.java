package io.sifr.testing;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Counts the bytes that some of the files take, at every moment: from the first byte appended to
 * them until they are deleted and nobody has them mapped any more, as a disk does. Thread-safe.
 */
public final class SpaceCountingFileSystem extends ForwardingFileSystem {
  private final Predicate<Path> isCounted;
  private final LongConsumer observer;

  // Guarded by this.
  private final Map<Path, Taken> files = new HashMap<>();
  private long bytes;

  /** What a file takes. Guarded by the file system. */
  private static final class Taken {
    private long bytes;
    private int mappings;
    private boolean deleted;
  }

  /**
   * @param isCounted which files; they are not renamed
   * @param observer told the bytes of all of them whenever they have become more
   */
  public SpaceCountingFileSystem(
      StoreFileSystem delegate, Predicate<Path> isCounted, LongConsumer observer) {
    super(delegate);
    this.isCounted = isCounted;
    this.observer = observer;
  }

  /** Bytes they take now. */
  public synchronized long bytes() {
    return bytes;
  }

  @Override
  public AppendFile create(Path file) {
    return counted(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    return counted(file, super.createDirect(file));
  }

  private AppendFile counted(Path file, AppendFile created) {
    if (!isCounted.test(file)) {
      return created;
    }
    Taken taken = new Taken();
    synchronized (this) {
      files.put(file, taken);
    }
    return new ForwardingAppendFile(created) {
      @Override
      public void append(ByteBuffer source) {
        int length = source.remaining();
        super.append(source);
        grown(taken, length);
      }

      @Override
      public void append(byte[] source, int offset, int length) {
        super.append(source, offset, length);
        grown(taken, length);
      }
    };
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    RandomWriteFile opened = super.openToGrow(file);
    Taken taken;
    synchronized (this) {
      taken = files.get(file);
    }
    return taken == null ? opened : new Growing(opened, taken);
  }

  /** A file that is written at any position, from its end on at the latest. */
  private final class Growing implements RandomWriteFile {
    private final RandomWriteFile file;
    private final Taken taken;

    Growing(RandomWriteFile file, Taken taken) {
      this.file = file;
      this.taken = taken;
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      file.write(source, offset, length, position);
      long size;
      synchronized (SpaceCountingFileSystem.this) {
        size = taken.bytes;
      }
      grown(taken, Math.max(0, position + length - size));
    }

    @Override
    public void sync() {
      file.sync();
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private void grown(Taken taken, long by) {
    long now;
    synchronized (this) {
      taken.bytes += by;
      bytes += by;
      now = bytes;
    }
    observer.accept(now);
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    MappedRegion region = super.mapForRead(file, size);
    Taken taken;
    synchronized (this) {
      taken = files.get(file);
      if (taken == null) {
        return region;
      }
      taken.mappings++;
    }
    return new ForwardingMappedRegion(region) {
      @Override
      public void close() {
        super.close();
        unmapped(taken);
      }
    };
  }

  private synchronized void unmapped(Taken taken) {
    taken.mappings--;
    giveBack(taken);
  }

  @Override
  public void delete(Path file) {
    super.delete(file);
    synchronized (this) {
      Taken taken = files.remove(file);
      if (taken != null) {
        taken.deleted = true;
        giveBack(taken);
      }
    }
  }

  // Guarded by this.
  private void giveBack(Taken taken) {
    if (taken.deleted && taken.mappings == 0) {
      bytes -= taken.bytes;
      taken.bytes = 0;
    }
  }
}
