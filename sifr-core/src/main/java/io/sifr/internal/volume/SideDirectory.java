package io.sifr.internal.volume;

import io.sifr.error.SifrException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory on another device, in which a store has SSTs: those of its first stage, its rows
 * (MatrixKV, §3.1), on a fast one, those of last stages on a cold one. As long as it is full or
 * fails, the store goes on without it.
 *
 * <p>Thread-safe.
 */
final class SideDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(SideDirectory.class);

  /** The part of what may be used that is filled: a compaction needs some time to begin. */
  private static final double MOST_USED = 0.9;

  /** For how long nothing is written there after a failure. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final StoreFileSystem disk;
  private final Tier tier;
  private final Path path;
  private final long mostBytes;
  private final long flushBytes;

  /** Held while names are made durable: who finds nothing to sync must not be earlier than that. */
  private final Object syncing = new Object();

  /** Whether names have changed since they were synced. */
  private final AtomicBoolean isUnsynced = new AtomicBoolean(true);

  private boolean hasFailed; // guarded by this

  /** When it failed last, if it did. Guarded by this. */
  private long failedAt;

  /** Whether the last SST was taken. Guarded by this. */
  private boolean took = true;

  /**
   * @param path the directory, as a real path
   * @param mostBytes how many bytes of SSTs may lie in it; 0: none are added
   * @param flushBytes about as many as a flush writes; with less left, its device is full
   */
  SideDirectory(StoreFileSystem disk, Tier tier, Path path, long mostBytes, long flushBytes) {
    this.disk = disk;
    this.tier = tier;
    this.path = path;
    this.mostBytes = mostBytes;
    this.flushBytes = flushBytes;
  }

  Path path() {
    return path;
  }

  /** The names of the files that the store has in it. */
  List<String> names() {
    return names(disk, path);
  }

  /** The names of the files that a store has in such a directory. */
  static List<String> names(StoreFileSystem disk, Path path) {
    return disk.list(path).stream().filter(SideDirectory::isNumbered).toList();
  }

  /** Whether a file may be one of those that a store numbers. */
  static boolean isNumbered(String name) {
    return !name.isEmpty() && '0' <= name.charAt(0) && name.charAt(0) <= '9';
  }

  /** Whether a user wants it, so that files may be added and stay. */
  boolean isWanted() {
    return mostBytes > 0;
  }

  /** Whether the next SST should lie here. */
  boolean takesMore() {
    if (!isWanted()) {
      return false;
    }
    String reason = reason();
    synchronized (this) {
      if (took != reason.isEmpty()) {
        took = reason.isEmpty();
        if (took) {
          LOG.info("the {} {} takes SSTs again", tier.role(), path);
        } else {
          LOG.warn("the {} {} takes no SSTs for now: {}", tier.role(), path, reason);
        }
      }
      return took;
    }
  }

  /** Why it takes no SSTs; empty if it does. */
  private String reason() {
    synchronized (this) {
      if (hasFailed && System.nanoTime() - failedAt < PAUSE_NANOS) {
        return "it has failed";
      }
    }
    try {
      long used = tier == Tier.FAST ? usedBytes() : 0;
      if (used + flushBytes > MOST_USED * mostBytes) {
        return used + " of " + mostBytes + " bytes are used";
      }
      return disk.usableBytes(path) < 2 * flushBytes ? "its device is full" : "";
    } catch (SifrException e) {
      failed();
      return String.valueOf(e.getMessage());
    }
  }

  private long usedBytes() {
    long used = 0;
    for (String name : names()) {
      used += sizeOf(name);
    }
    return used;
  }

  /** Bytes of a file; 0 if it was deleted meanwhile. */
  private long sizeOf(String name) {
    Path file = path.resolve(name);
    try {
      return disk.size(file);
    } catch (SifrException e) {
      if (disk.exists(file)) {
        throw e;
      }
      return 0;
    }
  }

  private synchronized void failed() {
    hasFailed = true;
    failedAt = System.nanoTime();
  }

  /** Creates a file in it. What fails is tried again in the store's directory. */
  AppendFile create(Path file) {
    return watched(() -> disk.create(file));
  }

  /** As above, with {@link StoreFileSystem#createDirect}. */
  AppendFile createDirect(Path file) {
    return watched(() -> disk.createDirect(file));
  }

  private AppendFile watched(Supplier<AppendFile> create) {
    try {
      return new Watched(create.get());
    } catch (RuntimeException | Error e) {
      failed();
      throw e;
    } finally {
      isUnsynced.set(true); // not before: a sync that comes between would not make it durable
    }
  }

  /** Deletes a file in it. */
  void delete(Path file) {
    try {
      disk.delete(file);
    } finally {
      isUnsynced.set(true);
    }
  }

  /** Makes the names in it durable, if any have changed. */
  void sync() {
    synchronized (syncing) {
      if (!isUnsynced.getAndSet(false)) {
        return;
      }
      try {
        disk.syncDirectory(path);
      } catch (RuntimeException | Error e) {
        isUnsynced.set(true);
        throw e;
      }
    }
  }

  /** Notes that a write has failed. */
  private final class Watched implements AppendFile {
    private final AppendFile file;

    Watched(AppendFile file) {
      this.file = file;
    }

    @Override
    public void append(ByteBuffer source) {
      watch(() -> file.append(source));
    }

    @Override
    public long position() {
      return file.position();
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      watch(() -> file.append(source, offset, length));
    }

    @Override
    public void sync() {
      watch(file::sync);
    }

    private void watch(Runnable call) {
      try {
        call.run();
      } catch (RuntimeException | Error e) {
        failed();
        throw e;
      }
    }

    @Override
    public void close() {
      watch(file::close);
    }
  }
}
