package io.sifr.internal.io.memory;

import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreIoException;
import io.sifr.error.StoreLockedException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A file system with one directory on the heap, for the files of a store; all other paths are
 * handed to the disk. The directory has no others in it, exists from the beginning, and cannot be
 * deleted. Between it and the disk files can be copied, and neither linked nor renamed.
 *
 * <p>Failures are those of {@link io.sifr.internal.io.DiskFileSystem}. A full heap is a full disk,
 * and what is left of the heap is known by what the files take: garbage does not count.
 *
 * <p>Thread-safe. When nobody has the file system, nor anything that was opened, the memory is
 * free.
 */
public final class MemoryFileSystem implements StoreFileSystem {
  private static final String NAME = "sifr-in-memory-";

  /**
   * The part of the heap that files may take is one divided by this. The rest is for the store, its
   * user, and what the collector cannot use: G1 gives a mapped file whole regions.
   */
  private static final int HEAP_DIVISOR = 2;

  private final StoreFileSystem disk;
  private final Path directory;

  /** By their names in the directory. Guarded by this. */
  private final Map<String, HeapFile> files = new TreeMap<>();

  /** Guarded by this. */
  private boolean isLocked;

  /** Makes a file system whose directory is empty. */
  public MemoryFileSystem(StoreFileSystem disk) {
    this.disk = disk;
    // Drawn, so that what a store leaves on a disk, in a fast directory for instance, is not taken
    // for that of another process.
    String name = NAME + HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    this.directory = Path.of("").toAbsolutePath().getRoot().resolve(name);
  }

  /** Its directory: a path of the default file system that leads nowhere on the disk. */
  public Path directory() {
    return directory;
  }

  /** Whether a path is that of the directory, or leads into it, however it is spelled. */
  private boolean isHere(Path path) {
    return normal(path).startsWith(directory);
  }

  private boolean isDirectoryItself(Path path) {
    return normal(path).equals(directory);
  }

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  /** Something done with files in memory. */
  private interface Body<T> {
    T run() throws IOException;
  }

  private synchronized <T> T run(Path path, String operation, Body<T> body) {
    try {
      return body.run();
    } catch (IOException e) {
      throw new StoreIoException(path, operation, e);
    }
  }

  private synchronized <T> T open(Path path, String operation, Body<T> body) {
    try {
      return body.run();
    } catch (IOException e) {
      throw new FileNotOpenedException(path, operation, e);
    }
  }

  // All below until the methods of the interface: guarded by this.

  private @Nullable HeapFile fileIfThere(Path path) {
    return files.get(below(path).toString()); // what lies deeper has no name here
  }

  private Path below(Path path) {
    return directory.relativize(normal(path));
  }

  /** The name that a file in the directory has, or may get. */
  private String nameOf(Path path) throws IOException {
    if (isDirectoryItself(path)) {
      throw new FileSystemException(path.toString(), null, "is not a regular file");
    }
    if (below(path).getNameCount() > 1) {
      throw new NoSuchFileException(path.toString());
    }
    return below(path).toString();
  }

  private HeapFile file(Path path) throws IOException {
    HeapFile file = files.get(nameOf(path));
    if (file == null) {
      throw new NoSuchFileException(path.toString());
    }
    return file;
  }

  private HeapFile fileWith(Path path, long bytes) throws IOException {
    HeapFile file = file(path);
    if (file.size() < bytes) {
      throw new CorruptionException(
          path, file.size(), "the file has " + file.size() + " bytes, " + bytes + " were expected");
    }
    return file;
  }

  private HeapFile newFile(Path path) throws IOException {
    String name = nameOf(path);
    requireNew(path, name);
    HeapFile file = new HeapFile();
    files.put(name, file);
    return file;
  }

  private void requireNew(Path path, String name) throws IOException {
    if (files.containsKey(name)) {
      throw new FileAlreadyExistsException(path.toString());
    }
  }

  private Path requireDirectory(Path path) throws IOException {
    if (!isDirectoryItself(path)) {
      HeapFile unused = file(path);
      throw new NotDirectoryException(path.toString());
    }
    return directory;
  }

  private static int bytesToMap(long bytes) {
    if (bytes < 0 || bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "size to map is " + bytes + "; allowed: 0 to " + Integer.MAX_VALUE);
    }
    return (int) bytes;
  }

  @Override
  public void createDirectories(Path created) {
    if (isHere(created)) {
      Path unused = run(created, "create", () -> requireDirectory(created));
    } else {
      disk.createDirectories(created);
    }
  }

  @Override
  public Path realPath(Path given) {
    if (!isHere(given)) {
      return disk.realPath(given);
    }
    if (!exists(given)) {
      throw new StoreIoException(given, "resolve", new NoSuchFileException(given.toString()));
    }
    return normal(given);
  }

  @Override
  public boolean isDirectory(Path path) {
    return isHere(path) ? isDirectoryItself(path) : disk.isDirectory(path);
  }

  @Override
  public List<String> list(Path listed) {
    if (!isHere(listed)) {
      return disk.list(listed);
    }
    return run(
        listed,
        "list",
        () -> {
          Path unused = requireDirectory(listed);
          return List.copyOf(files.keySet());
        });
  }

  @Override
  public boolean exists(Path file) {
    return isHere(file)
        ? isDirectoryItself(file) || run(file, "look for", () -> fileIfThere(file) != null)
        : disk.exists(file);
  }

  @Override
  public long size(Path file) {
    return isHere(file) ? run(file, "get the size of", () -> file(file).size()) : disk.size(file);
  }

  @Override
  public AppendFile create(Path file) {
    return isHere(file)
        ? open(file, "create", () -> new HeapHandle.Appending(file, newFile(file)))
        : disk.create(file);
  }

  @Override
  public AppendFile createDirect(Path file) {
    return isHere(file) ? create(file) : disk.createDirect(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return isHere(file)
        ? open(file, "open", () -> new HeapHandle.Reading(file, file(file)))
        : disk.openForRead(file);
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return isHere(file) ? openForRead(file) : disk.openForDirectRead(file);
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    if (!isHere(file)) {
      return disk.mapForRead(file, size);
    }
    int bytes = bytesToMap(size);
    HeapFile mapped = open(file, "map", () -> file(file));
    StoreFileSystem.requireSize(file, size, mapped.size());
    return new HeapHandle.Mapping(file, mapped, bytes, false);
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    if (!isHere(file)) {
      return disk.mapForWrite(file, size);
    }
    int bytes = bytesToMap(size);
    HeapFile mapped = open(file, "map", () -> fileWith(file, size));
    return new HeapHandle.Mapping(file, mapped, bytes, true);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return isHere(file)
        ? open(file, "open", () -> new HeapHandle.Writing(file, fileWith(file, size), size))
        : disk.openForWrite(file, size);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return isHere(file)
        ? open(file, "open", () -> new HeapHandle.Growing(file, file(file)))
        : disk.openToGrow(file);
  }

  @Override
  public void rename(Path source, Path target) {
    if (!isHere(source) && !isHere(target)) {
      disk.rename(source, target);
      return;
    }
    Path unused =
        run(
            source,
            "rename",
            () -> {
              if (!isHere(source) || !isHere(target)) {
                throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "one of the two is in memory");
              }
              HeapFile file = file(source);
              if (files.put(nameOf(target), file) != file) { // else two names of one file
                files.remove(nameOf(source));
              }
              return target;
            });
  }

  @Override
  public void renameDurably(Path of, String source, String target) {
    if (isHere(of)) {
      rename(of.resolve(source), of.resolve(target));
    } else {
      disk.renameDurably(of, source, target);
    }
  }

  @Override
  public boolean link(Path file, Path second) {
    if (!isHere(file) && !isHere(second)) {
      return disk.link(file, second);
    }
    return isHere(file)
        && isHere(second)
        && run(
            second,
            "link",
            () -> {
              HeapFile linked = file(file);
              String name = nameOf(second);
              requireNew(second, name);
              files.put(name, linked);
              return true;
            });
  }

  @Override
  public void delete(Path file) {
    if (!isHere(file)) {
      disk.delete(file);
      return;
    }
    Path unused =
        run(
            file,
            "delete",
            () -> {
              if (isDirectoryItself(file) && !files.isEmpty()) {
                throw new DirectoryNotEmptyException(file.toString());
              }
              files.remove(below(file).toString());
              return file;
            });
  }

  @Override
  public void syncDirectory(Path synced) {
    if (isHere(synced)) {
      Path unused = open(synced, "open", () -> requireDirectory(synced));
    } else {
      disk.syncDirectory(synced);
    }
  }

  @Override
  public long usableBytes(Path of) {
    if (!isHere(of)) {
      return disk.usableBytes(of);
    }
    return Math.max(0, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR - usedBytes());
  }

  private synchronized long usedBytes() {
    return files.values().stream().distinct().mapToLong(HeapFile::allocatedBytes).sum();
  }

  @Override
  public boolean isVolatile(Path of) {
    return isHere(of) || disk.isVolatile(of);
  }

  @Override
  public void reached(CrashPoint point) {
    disk.reached(point);
  }

  @Override
  public DirectoryLock lock(Path locked, String lockFileName) {
    if (!isHere(locked)) {
      return disk.lock(locked, lockFileName);
    }
    return run(
        locked,
        "lock",
        () -> {
          Path lockFile = requireDirectory(locked).resolve(lockFileName);
          HeapFile found = fileIfThere(lockFile);
          HeapFile file = found == null ? newFile(lockFile) : found;
          String holder = Long.toString(ProcessHandle.current().pid());
          file.write(lockFile, ByteBuffer.wrap(holder.getBytes(StandardCharsets.US_ASCII)), 0);
          return takeLock();
        });
  }

  @Override
  public DirectoryLock lockForReading(Path locked, String lockFileName) {
    if (!isHere(locked)) {
      return disk.lockForReading(locked, lockFileName);
    }
    return run(
        locked,
        "lock",
        () -> {
          Path unused = requireDirectory(locked);
          return takeLock();
        });
  }

  private DirectoryLock takeLock() {
    if (isLocked) {
      throw new StoreLockedException(directory, ProcessHandle.current().pid());
    }
    isLocked = true;
    AtomicBoolean isHeld = new AtomicBoolean(true);
    return () -> {
      if (isHeld.getAndSet(false)) {
        unlock();
      }
    };
  }

  private synchronized void unlock() {
    isLocked = false;
  }
}
