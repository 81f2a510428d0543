package io.sifr.importer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a LevelDB or RocksDB directory, taken as these take it, where that changes nothing:
 * the file has to be there, and to be writable. Ports of LevelDB in other languages lock it by
 * flock(2), which is another kind of lock; on Linux the system lists those.
 */
public final class SourceLock implements AutoCloseable {
  private static final Path LOCKS = Path.of("/proc/locks");
  private static final int KIND_COLUMN = 1;
  private static final int PROCESS_COLUMN = 4;
  private static final int FILE_COLUMN = 5;

  private final @Nullable FileChannel channel;

  private SourceLock(@Nullable FileChannel channel) {
    this.channel = channel;
  }

  /** Takes the lock of a directory, or says that it is open elsewhere. */
  public static SourceLock take(Path directory) throws IOException {
    Path file = directory.resolve("LOCK");
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.WRITE);
    } catch (NoSuchFileException | AccessDeniedException e) {
      return new SourceLock(null);
    } catch (FileSystemException e) {
      // Of a file system that can only be read: nobody writes to it.
      return new SourceLock(null);
    }
    try {
      requireFree(file, channel);
      return new SourceLock(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static void requireFree(Path file, FileChannel channel) throws IOException {
    @Nullable String process = flockHolder(file);
    if (process != null) {
      throw new SourceException("it is open in the process " + process);
    }
    try {
      @Nullable FileLock lock = channel.tryLock();
      if (lock == null) {
        throw new SourceException("it is open in another process");
      }
    } catch (OverlappingFileLockException e) {
      throw new SourceException("it is open in this process", e);
    }
  }

  /** The process that has locked a file by flock(2), as far as this system knows. */
  private static @Nullable String flockHolder(Path file) throws IOException {
    if (!Files.isReadable(LOCKS)) {
      return null;
    }
    long device =
        ((Number) Files.getAttribute(file, "unix:dev", LinkOption.NOFOLLOW_LINKS)).longValue();
    long node =
        ((Number) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS)).longValue();
    String name = String.format("%02x:%02x:%d", major(device), minor(device), node);
    for (String line : Files.readAllLines(LOCKS)) {
      List<String> columns = List.of(line.trim().split("\\s+"));
      if (columns.size() > FILE_COLUMN
          && columns.get(KIND_COLUMN).equals("FLOCK")
          && columns.get(FILE_COLUMN).equals(name)) {
        return columns.get(PROCESS_COLUMN);
      }
    }
    return null;
  }

  private static long major(long device) {
    return (device >>> 8) & 0xfff;
  }

  private static long minor(long device) {
    return (device & 0xff) | ((device >>> 12) & 0xfff00);
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
