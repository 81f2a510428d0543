package io.sifr.testing;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows everything that was opened and not closed yet, and who opened it. That something is closed
 * twice is no fault. Thread-safe.
 */
public final class LeakCountingFileSystem extends ForwardingFileSystem {
  /** Where something was opened; never thrown. */
  private static final class Opened extends Exception {
    private static final long serialVersionUID = 1L;

    Opened(String what) {
      super(what);
    }
  }

  private final Map<Object, Opened> open = new ConcurrentHashMap<>();

  private final StoreFileSystem counted;

  public LeakCountingFileSystem(StoreFileSystem counted) {
    super(counted);
    this.counted = counted;
  }

  /** How many things are open. */
  public int openCount() {
    return open.size();
  }

  /** Fails when something is open, with the stack of who opened it. */
  public void assertNothingOpen() {
    List<Opened> left = List.copyOf(open.values());
    if (left.isEmpty()) {
      return;
    }
    StringWriter text = new StringWriter();
    try (PrintWriter lines = new PrintWriter(text)) {
      lines.println(left.size() + " still open:");
      left.forEach(opened -> opened.printStackTrace(lines));
    }
    throw new AssertionError(text.toString());
  }

  /**
   * As the file system that is counted does it, which may open the directory before it renames
   * anything.
   */
  @Override
  public void renameDurably(Path directory, String source, String target) {
    counted.renameDurably(directory, source, target);
  }

  private <T> T opened(String kind, Path path, T handle) {
    open.put(handle, new Opened(kind + " " + path));
    return handle;
  }

  /** Also when closing it fails: the resource is given up all the same. */
  private void close(Object handle, Runnable close) {
    open.remove(handle);
    close.run();
  }

  @Override
  public AppendFile create(Path file) {
    return appending(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    return appending(file, super.createDirect(file));
  }

  private AppendFile appending(Path file, AppendFile created) {
    return opened(
        "file to append to",
        file,
        new ForwardingAppendFile(created) {
          @Override
          public void close() {
            LeakCountingFileSystem.this.close(this, super::close);
          }
        });
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return opened(file, super.openForRead(file));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return opened(file, super.openForDirectRead(file));
  }

  private RandomReadFile opened(Path file, RandomReadFile opened) {
    return opened(
        "file to read",
        file,
        new ForwardingRandomReadFile(opened) {
          @Override
          public void close() {
            LeakCountingFileSystem.this.close(this, super::close);
          }
        });
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return opened("file to write", file, writing(super.openForWrite(file, size)));
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return opened("file to write", file, writing(super.openToGrow(file)));
  }

  private RandomWriteFile writing(RandomWriteFile file) {
    return new ForwardingRandomWriteFile(file) {
      @Override
      public void close() {
        LeakCountingFileSystem.this.close(this, super::close);
      }
    };
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return opened("mapping to read", file, mapping(super.mapForRead(file, size)));
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return opened("mapping to write", file, mapping(super.mapForWrite(file, size)));
  }

  private MappedRegion mapping(MappedRegion region) {
    return new ForwardingMappedRegion(region) {
      @Override
      public void close() {
        LeakCountingFileSystem.this.close(this, super::close);
      }
    };
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    return opened(
        "lock on",
        directory,
        new ForwardingDirectoryLock(super.lock(directory, lockFileName)) {
          @Override
          public void close() {
            LeakCountingFileSystem.this.close(this, super::close);
          }
        });
  }
}
