package io.sifr.testing;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreLockedException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a {@link CrashDisk}. Each happens under the disk's monitor, which is what numbers
 * them; failures are those of {@link io.sifr.internal.io.DiskFileSystem}. There are no symbolic
 * links, so that not to follow them needs nothing.
 */
final class CrashFileSystem implements StoreFileSystem {
  private static final int DIRECTORY_BYTES = FrozenFile.PAGE_BYTES;

  private final CrashDisk disk;

  CrashFileSystem(CrashDisk disk) {
    this.disk = disk;
  }

  @Override
  public FileKeys keys() {
    return disk.keys();
  }

  private static Path key(Path path) {
    return CrashDisk.key(path);
  }

  private CrashFile entry(Path path) throws NoSuchFileException {
    CrashFile entry = disk.names().get(key(path));
    if (entry == null) {
      throw new NoSuchFileException(path.toString());
    }
    return entry;
  }

  private CrashFile file(Path path) throws IOException {
    CrashFile file = entry(path);
    if (file.isDirectory()) {
      throw new FileSystemException(path.toString(), null, "is not a regular file");
    }
    return file;
  }

  private void requireDirectory(@Nullable Path path) throws IOException {
    if (path != null && path.getParent() != null && !entry(path).isDirectory()) {
      throw new NotDirectoryException(path.toString());
    }
  }

  private boolean isThere(Path path) {
    return path.getParent() == null || disk.names().get(key(path)) != null;
  }

  @Override
  public void createDirectories(Path directory) {
    disk.change(
        "make",
        directory,
        () -> {
          makeDirectory(key(directory));
          return directory;
        });
  }

  private void makeDirectory(Path directory) throws IOException {
    if (isThere(directory)) {
      requireDirectory(directory);
      return;
    }
    makeDirectory(Objects.requireNonNull(directory.getParent()));
    CrashFile made = CrashFile.of(FrozenFile.directory());
    made.setNamed(true);
    disk.names().create(directory, made);
  }

  @Override
  public Path realPath(Path directory) {
    return disk.look(
        "resolve",
        directory,
        () -> {
          if (!isThere(key(directory))) {
            throw new NoSuchFileException(directory.toString());
          }
          return key(directory);
        });
  }

  @Override
  public boolean isDirectory(Path path) {
    return disk.look(
        "look at",
        path,
        () ->
            isThere(key(path))
                && (key(path).getParent() == null || entry(key(path)).isDirectory()));
  }

  @Override
  public List<String> list(Path directory) {
    return disk.look(
        "list",
        directory,
        () -> {
          Path key = key(directory);
          requireDirectory(key);
          return disk.names().names().stream()
              .filter(name -> key.equals(name.getParent()))
              .map(name -> String.valueOf(name.getFileName()))
              .sorted()
              .toList();
        });
  }

  @Override
  public boolean exists(Path file) {
    return disk.look("look for", file, () -> isThere(key(file)));
  }

  @Override
  public long size(Path file) {
    return disk.look(
        "get the size of",
        file,
        () -> {
          CrashFile entry = entry(file);
          return (long) (entry.isDirectory() ? DIRECTORY_BYTES : entry.size());
        });
  }

  @Override
  public AppendFile create(Path file) {
    return disk.change("create", file, () -> new CrashHandle.Appending(disk, file, newFile(file)));
  }

  private CrashFile newFile(Path file) throws IOException {
    Path key = key(file);
    requireDirectory(key.getParent());
    if (isThere(key)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    CrashFile created = CrashFile.of(FrozenFile.empty());
    created.setNamed(true);
    disk.names().create(key, created);
    return created;
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return disk.look("open", file, () -> new CrashHandle.Reading(disk, file, file(file)));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return openForRead(file);
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return disk.look("map", file, () -> map(file, size, false));
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return disk.look("map", file, () -> map(file, size, true));
  }

  private MappedRegion map(Path file, long size, boolean writable) throws IOException {
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "size to map is " + size + "; allowed: 0 to " + Integer.MAX_VALUE);
    }
    CrashFile found = withSize(file, size);
    if (!writable) {
      StoreFileSystem.requireSize(file, size, found.size());
    }
    return new CrashHandle.Mapping(disk, file, found, (int) size, writable);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return disk.look(
        "open", file, () -> new CrashHandle.Writing(disk, file, withSize(file, size), size));
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return disk.look("open", file, () -> new CrashHandle.Growing(disk, file, file(file)));
  }

  private CrashFile withSize(Path path, long wanted) throws IOException {
    CrashFile file = file(path);
    if (file.size() < wanted) {
      throw new CorruptionException(
          path,
          file.size(),
          "the file has " + file.size() + " bytes, " + wanted + " were expected");
    }
    return file;
  }

  @Override
  public void rename(Path source, Path target) {
    disk.change(
        "rename",
        source,
        () -> {
          CrashFile file = entry(source);
          requireDirectory(key(target).getParent());
          if (file.isDirectory() && isThere(key(target))) {
            throw new FileAlreadyExistsException(target.toString());
          }
          if (file.hasSeveralNames()) {
            throw new UnsupportedOperationException("what is renamed here has one name");
          }
          CrashFile replaced = isThere(key(target)) ? file(target) : null;
          if (replaced == file) {
            return file;
          }
          disk.names().rename(key(source), key(target), file);
          if (replaced != null) {
            takeName(replaced);
          }
          return file;
        });
  }

  @Override
  public boolean link(Path file, Path second) {
    return disk.change(
        "link",
        second,
        () -> {
          CrashFile linked = file(file);
          requireDirectory(key(second).getParent());
          if (isThere(key(second))) {
            throw new FileAlreadyExistsException(second.toString());
          }
          linked.setNamed(true);
          disk.names().link(key(second), linked);
          return true;
        });
  }

  @Override
  public void delete(Path file) {
    disk.change(
        "delete",
        file,
        () -> {
          if (isThere(key(file))) {
            CrashFile deleted = entry(file);
            if (deleted.isDirectory() && isUsed(key(file))) {
              throw new DirectoryNotEmptyException(file.toString());
            }
            disk.names().delete(key(file));
            takeName(deleted);
          }
          return file;
        });
  }

  private boolean isUsed(Path directory) {
    return disk.names().names().stream().anyMatch(name -> directory.equals(name.getParent()));
  }

  private void takeName(CrashFile file) {
    file.setNamed(false);
    disk.freeIfGone(file);
  }

  @Override
  public void syncDirectory(Path directory) {
    Path key = key(directory);
    disk.change(
        "sync",
        directory,
        () -> {
          requireDirectory(key);
          disk.names().syncHalf(key);
          return key;
        },
        () -> {
          disk.names().sync(key);
          return key;
        });
  }

  @Override
  public long usableBytes(Path directory) {
    return disk.look(
        "get the space of",
        directory,
        () -> {
          requireDirectory(key(directory));
          return disk.freeBytes();
        });
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    return lock(directory, lockFileName);
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    return disk.change(
        "lock",
        directory,
        () -> {
          Path key = key(directory);
          requireDirectory(key);
          Path lockFile = key.resolve(lockFileName);
          CrashFile file = isThere(lockFile) ? file(lockFile) : newFile(lockFile);
          long processId = ProcessHandle.current().pid();
          if (!disk.locked().add(key)) {
            throw new StoreLockedException(directory, processId);
          }
          byte[] holder = Long.toString(processId).getBytes(StandardCharsets.US_ASCII);
          try {
            disk.write(lockFile, file, holder, 0, holder.length, 0);
          } catch (StoreFullException e) {
            // Others are not told who holds the lock.
          }
          return new Lock(key);
        });
  }

  @Override
  public void reached(CrashPoint point) {
    disk.reached(point);
  }

  private final class Lock implements DirectoryLock {
    private final Path directory;
    private boolean closed; // guarded by disk

    Lock(Path directory) {
      this.directory = directory;
    }

    @Override
    public void close() {
      disk.look(
          "unlock",
          directory,
          () -> {
            if (!closed) {
              closed = true;
              disk.locked().remove(directory);
            }
            return directory;
          });
    }
  }
}
