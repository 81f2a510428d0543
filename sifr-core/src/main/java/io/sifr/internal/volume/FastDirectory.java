package io.sifr.internal.volume;

import io.sifr.error.SifrException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory on a fast device, in which a store has the SSTs of its first stage, its rows
 * (MatrixKV, §3.1), and its log. As long as it is full or fails, new ones of both are created in
 * the store's directory.
 *
 * <p>Thread-safe.
 */
final class FastDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(FastDirectory.class);

  /** The part of what may be used that rows fill: a compaction needs some time to begin. */
  private static final double MOST_USED = 0.9;

  /** For how long nothing is written there after a failure. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final StoreFileSystem disk;
  private final Path path;
  private final long mostBytes;
  private final long rowBytes;

  private boolean hasFailed; // guarded by this

  /** When it failed last, if it did. Guarded by this. */
  private long failedAt;

  private final Use rows = new Use("rows");
  private final Use log = new Use("log segments");

  /**
   * @param path the directory, as a real path
   * @param mostBytes how many bytes of SSTs may lie in it; 0: none are added
   * @param rowBytes about as many as a row has
   */
  FastDirectory(StoreFileSystem disk, Path path, long mostBytes, long rowBytes) {
    this.disk = disk;
    this.path = path;
    this.mostBytes = mostBytes;
    this.rowBytes = rowBytes;
  }

  Path path() {
    return path;
  }

  /** The names of the files that the store has in it. */
  List<String> names() {
    return names(disk, path);
  }

  /** The names of the files that a store has in a fast directory. */
  static List<String> names(StoreFileSystem disk, Path path) {
    return disk.list(path).stream().filter(FastDirectory::isNumbered).toList();
  }

  /** Whether a file may be one of those that a store numbers. */
  static boolean isNumbered(String name) {
    return !name.isEmpty() && '0' <= name.charAt(0) && name.charAt(0) <= '9';
  }

  /** Whether the next row should lie here. */
  boolean takesRows() {
    return mostBytes > 0 && rows.isTaken(reasonNot(this::reasonAgainstRow));
  }

  /**
   * Whether the next segment of the log should lie here. Segments do not count in what may be used:
   * there are about as many bytes of them as write buffers hold.
   */
  boolean takesLog(long bytes) {
    return mostBytes > 0 && log.isTaken(reasonNot(() -> reasonOfDevice(bytes)));
  }

  /** Why it takes no more of something; empty if it does. */
  private String reasonNot(Supplier<String> reason) {
    synchronized (this) {
      if (hasFailed && System.nanoTime() - failedAt < PAUSE_NANOS) {
        return "it has failed";
      }
    }
    try {
      return reason.get();
    } catch (SifrException e) {
      failed();
      return String.valueOf(e.getMessage());
    }
  }

  private String reasonAgainstRow() {
    long used = 0;
    for (String name : names()) {
      if (FileKind.SST.numberOf(name).isPresent()) {
        used += sizeOf(name);
      }
    }
    return used + rowBytes > MOST_USED * mostBytes
        ? used + " of " + mostBytes + " bytes are used"
        : reasonOfDevice(0);
  }

  private String reasonOfDevice(long bytes) {
    return disk.usableBytes(path) < bytes + 2 * rowBytes ? "its device is full" : "";
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

  /** Something that it takes, and of which it says when that changes. */
  private final class Use {
    private final String things;
    private boolean isTaken = true; // guarded by this

    Use(String things) {
      this.things = things;
    }

    synchronized boolean isTaken(String reason) {
      if (isTaken != reason.isEmpty()) {
        isTaken = reason.isEmpty();
        if (isTaken) {
          LOG.info("the fast directory {} takes {} again", path, things);
        } else {
          LOG.warn("the fast directory {} takes no {} for now: {}", path, things, reason);
        }
      }
      return isTaken;
    }
  }

  private synchronized void failed() {
    hasFailed = true;
    failedAt = System.nanoTime();
  }

  /** Creates a file in it. What fails is tried again in the store's directory. */
  AppendFile create(Path file) {
    return watched(() -> new Watched(disk.create(file)));
  }

  /** As above, with {@link StoreFileSystem#createDirect}. */
  AppendFile createDirect(Path file) {
    return watched(() -> new Watched(disk.createDirect(file)));
  }

  /** Does something there, and notes when it fails. */
  <T> T watched(Supplier<T> action) {
    try {
      return action.get();
    } catch (RuntimeException | Error e) {
      failed();
      throw e;
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
