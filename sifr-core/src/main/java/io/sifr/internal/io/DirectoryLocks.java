package io.sifr.internal.io;

import io.sifr.error.StoreLockedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive locks on directories: a registry for this JVM, and a lock of the operating system for
 * all other processes. The latter alone is not enough, because it belongs to the process and is
 * released as soon as the process closes <em>any</em> descriptor of the lock file; so a lock file
 * is opened only with the permission of the registry, and then once.
 *
 * <p>The file contains the holder's process id as text, for the error message of other processes.
 * On Windows nobody else can read bytes that are locked, so the lock is on one far behind the text.
 */
final class DirectoryLocks {
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /**
   * Descriptors of lock files that another copy of this class, in another class loader, has locked.
   * Closing one would release that lock, so they stay open.
   */
  private static final Queue<RandomAccessFile> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

  private static final int MAX_PROCESS_ID_DIGITS = 19;
  private static final long LOCKED_BYTE = 1 << 30;

  private DirectoryLocks() {}

  /**
   * Takes the lock.
   *
   * @param directory the directory as the caller named it, for the message
   * @param realDirectory its real path, the same for all spellings
   * @param lockFile the lock file in the directory, which exists
   */
  static DirectoryLock take(Path directory, Path realDirectory, Path lockFile) throws IOException {
    if (!HELD.add(realDirectory)) {
      throw new StoreLockedException(directory, ProcessHandle.current().pid());
    }
    try {
      return new HeldLock(realDirectory, lockedFile(directory, lockFile));
    } catch (IOException | RuntimeException | Error e) {
      HELD.remove(realDirectory);
      throw e;
    }
  }

  /**
   * Takes the lock without writing.
   *
   * @param directory the directory as the caller named it, for the message
   * @param realDirectory its real path, the same for all spellings
   * @param lockFile the lock file in the directory; null when there is none
   */
  static DirectoryLock takeForReading(Path directory, Path realDirectory, @Nullable Path lockFile)
      throws IOException {
    if (!HELD.add(realDirectory)) {
      throw new StoreLockedException(directory, ProcessHandle.current().pid());
    }
    try {
      return new HeldLock(
          realDirectory, lockFile == null ? null : lockedForReading(directory, lockFile));
    } catch (IOException | RuntimeException | Error e) {
      HELD.remove(realDirectory);
      throw e;
    }
  }

  private static RandomAccessFile lockedForReading(Path directory, Path lockFile)
      throws IOException {
    RandomAccessFile file = new RandomAccessFile(lockFile.toFile(), "r");
    try {
      if (file.getChannel().tryLock(LOCKED_BYTE, 1, true) == null) {
        throw new StoreLockedException(directory, holderProcessId(file));
      }
      return file;
    } catch (OverlappingFileLockException e) {
      NEVER_CLOSED.add(file);
      throw new StoreLockedException(directory, ProcessHandle.current().pid());
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private static RandomAccessFile lockedFile(Path directory, Path lockFile) throws IOException {
    RandomAccessFile file = new RandomAccessFile(lockFile.toFile(), "rw");
    try {
      FileLock lock = file.getChannel().tryLock(LOCKED_BYTE, 1, false);
      if (lock == null) {
        throw new StoreLockedException(directory, holderProcessId(file));
      }
      writeProcessId(file);
      return file;
    } catch (OverlappingFileLockException e) {
      NEVER_CLOSED.add(file);
      throw new StoreLockedException(directory, ProcessHandle.current().pid());
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Over what an earlier holder has written, so that it needs no space where files are overwritten
   * in place. On a full disk there may be none for the first one: then others do not learn who
   * holds the lock. Where even that needs space they learn the earlier holder.
   */
  private static void writeProcessId(RandomAccessFile file) throws IOException {
    byte[] text = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    try {
      file.write(text);
      file.setLength(text.length);
    } catch (IOException e) {
      requireFullDisk(e);
      try {
        file.setLength(0);
      } catch (IOException again) {
        requireFullDisk(again);
      }
    }
  }

  private static void requireFullDisk(IOException e) throws IOException {
    if (!FullDisk.OF_THIS_PLATFORM.isSaidBy(e)) {
      throw e;
    }
  }

  /**
   * The process id in the lock file, or -1 when there is none because the holder has not written it
   * yet.
   */
  private static long holderProcessId(RandomAccessFile file) throws IOException {
    byte[] text = new byte[MAX_PROCESS_ID_DIGITS];
    int length = Math.max(0, file.read(text));
    try {
      return Long.parseLong(new String(text, 0, length, StandardCharsets.US_ASCII));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static final class HeldLock implements DirectoryLock {
    private final Path realDirectory;
    private final @Nullable RandomAccessFile file;
    private boolean closed; // guarded by this

    HeldLock(Path realDirectory, @Nullable RandomAccessFile file) {
      this.realDirectory = realDirectory;
      this.file = file;
    }

    @Override
    public synchronized void close() {
      if (closed) {
        return;
      }
      closed = true;
      try {
        if (file != null) {
          file.close(); // releases the lock
        }
      } catch (IOException e) {
        throw IoErrors.translate(realDirectory, "unlock", e);
      } finally {
        HELD.remove(realDirectory);
      }
    }
  }
}
