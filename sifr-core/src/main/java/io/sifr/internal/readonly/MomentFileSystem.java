package io.sifr.internal.readonly;

import io.sifr.error.StoreIoException;
import io.sifr.event.SstPlace;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A store's directory as it was at one moment: its SSTs, which are held, so that they can be read
 * when their names are gone; and files in memory, among them everything that is written. The
 * directory itself is never changed. All other directories are those of the disk, so that the store
 * can be copied.
 *
 * <p>Thread-safe.
 */
final class MomentFileSystem implements StoreFileSystem {
  private final StoreFileSystem disk;
  private final Path directory;
  private final HeldFiles held;
  private final Map<Path, MemoryFile> inMemory = new ConcurrentHashMap<>();

  /** A directory without files. */
  MomentFileSystem(StoreFileSystem disk, Path directory) {
    this(disk, directory, new HeldFiles());
  }

  /**
   * @param held the files that are held, as long as this is used
   */
  MomentFileSystem(StoreFileSystem disk, Path directory, HeldFiles held) {
    this.disk = disk;
    this.directory = directory;
    this.held = held;
  }

  /** Puts a file into memory. */
  void add(Path path, MemoryFile file) {
    inMemory.put(path, file);
  }

  @Override
  public FileKeys keys() {
    return disk.keys();
  }

  /** Whether a path is one of the store's directory, which is not looked for on the disk. */
  private boolean isOwn(Path path) {
    return path.equals(directory) || directory.equals(path.getParent());
  }

  /** The file of that path, if it is one that is held. */
  private @Nullable HeldFile held(Path file) {
    return isOwn(file) ? held.get(file) : null;
  }

  @Override
  public void createDirectories(Path created) {
    if (!isOwn(created)) {
      disk.createDirectories(created);
    }
  }

  @Override
  public Path realPath(Path given) {
    return disk.realPath(given);
  }

  @Override
  public boolean isDirectory(Path path) {
    return path.equals(directory) || (!isOwn(path) && disk.isDirectory(path));
  }

  @Override
  public List<String> list(Path listed) {
    if (!isOwn(listed)) {
      return disk.list(listed);
    }
    TreeSet<String> names = new TreeSet<>();
    held.paths().forEach(path -> names.add(String.valueOf(path.getFileName())));
    inMemory.keySet().forEach(path -> names.add(String.valueOf(path.getFileName())));
    return List.copyOf(names);
  }

  @Override
  public boolean exists(Path file) {
    return isOwn(file)
        ? file.equals(directory) || held.get(file) != null || inMemory.containsKey(file)
        : disk.exists(file);
  }

  @Override
  public long size(Path file) {
    HeldFile found = held(file);
    if (found != null) {
      return found.size();
    }
    return isOwn(file) ? memory(file).size() : disk.size(file);
  }

  private MemoryFile memory(Path file) {
    MemoryFile found = inMemory.get(file);
    if (found == null) {
      throw new StoreIoException(file, "open", new NoSuchFileException(file.toString()));
    }
    return found;
  }

  @Override
  public AppendFile create(Path file) {
    if (!isOwn(file)) {
      return disk.create(file);
    }
    MemoryFile created = new MemoryFile(file);
    inMemory.put(file, created);
    return created.openToAppend();
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    HeldFile found = held(file);
    if (found != null) {
      return found.openForRead();
    }
    return isOwn(file) ? memory(file).openForRead() : disk.openForRead(file);
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return openForRead(file);
  }

  @Override
  public boolean announcesReads() {
    return disk.announcesReads();
  }

  @Override
  public SstPlace placeOfSst(Path of, long number) {
    return disk.placeOfSst(of, number);
  }

  @Override
  public boolean mapsSsts() {
    return disk.mapsSsts();
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    if (!isOwn(file)) {
      return disk.mapForRead(file, size);
    }
    StoreFileSystem.requireSize(file, size, size(file));
    HeldFile found = held.get(file);
    return found != null ? found.map() : memory(file).map();
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    throw new UnsupportedOperationException("a store that is read only writes no log");
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    if (!isOwn(file)) {
      return disk.openForWrite(file, size);
    }
    return held.get(file) == null ? memory(file).openForWrite() : new Unchanged();
  }

  /** A file that is held has what a recovery writes over it already. */
  private static final class Unchanged implements RandomWriteFile {
    @Override
    public void write(byte[] source, int offset, int length, long position) {}

    @Override
    public void sync() {}

    @Override
    public void close() {}
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return isOwn(file) ? memory(file).openForWrite() : disk.openToGrow(file);
  }

  @Override
  public void rename(Path source, Path target) {
    if (isOwn(source)) {
      inMemory.put(target, memory(source));
      inMemory.remove(source);
    } else {
      disk.rename(source, target);
    }
  }

  @Override
  public void renameDurably(Path of, String source, String target) {
    if (of.equals(directory)) {
      rename(of.resolve(source), of.resolve(target));
    } else {
      disk.renameDurably(of, source, target);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A file that is held may have lost its name meanwhile, and in a store that was deleted and
   * made anew another file has it.
   */
  @Override
  public boolean link(Path file, Path second) {
    HeldFile found = held(file);
    if (found == null || !isFinal(file)) {
      return !isOwn(file) && disk.link(file, second);
    }
    try {
      if (!disk.link(file, second)) {
        return false;
      }
    } catch (StoreIoException e) {
      if (disk.exists(file)) {
        throw e;
      }
      return false; // its writer has deleted it
    }
    if (found.isSame(disk, second)) {
      return true;
    }
    disk.delete(second);
    return false;
  }

  @Override
  public boolean isFinal(Path file) {
    return !isOwn(file) || held.isFinal(file);
  }

  @Override
  public void delete(Path file) {
    if (isOwn(file)) {
      inMemory.remove(file);
    } else {
      disk.delete(file);
    }
  }

  @Override
  public void syncDirectory(Path synced) {
    if (!isOwn(synced)) {
      disk.syncDirectory(synced);
    }
  }

  @Override
  public long usableBytes(Path of) {
    return isOwn(of) ? Long.MAX_VALUE : disk.usableBytes(of);
  }

  @Override
  public DirectoryLock lock(Path locked, String lockFileName) {
    return isOwn(locked) ? () -> {} : disk.lock(locked, lockFileName);
  }

  @Override
  public DirectoryLock lockForReading(Path locked, String lockFileName) {
    return isOwn(locked) ? () -> {} : disk.lockForReading(locked, lockFileName);
  }
}
