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

/**
 * A store's directory as it was at one moment: its SSTs, which are held, so that they can be read
 * when their names are gone; and files in memory, among them everything that is written. The
 * directory itself is never changed.
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

  @Override
  public void createDirectories(Path created) {}

  @Override
  public Path realPath(Path given) {
    return disk.realPath(given);
  }

  @Override
  public boolean isDirectory(Path path) {
    return path.equals(directory);
  }

  @Override
  public List<String> list(Path listed) {
    TreeSet<String> names = new TreeSet<>();
    held.paths().forEach(path -> names.add(String.valueOf(path.getFileName())));
    inMemory.keySet().forEach(path -> names.add(String.valueOf(path.getFileName())));
    return List.copyOf(names);
  }

  @Override
  public boolean exists(Path file) {
    return file.equals(directory) || held.get(file) != null || inMemory.containsKey(file);
  }

  @Override
  public long size(Path file) {
    HeldFile found = held.get(file);
    return found != null ? found.size() : memory(file).size();
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
    MemoryFile created = new MemoryFile(file);
    inMemory.put(file, created);
    return created.openToAppend();
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    HeldFile found = held.get(file);
    return found != null ? found.openForRead() : memory(file).openForRead();
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
    return memory(file).openForWrite();
  }

  @Override
  public void rename(Path source, Path target) {
    inMemory.put(target, memory(source));
    inMemory.remove(source);
  }

  @Override
  public boolean link(Path file, Path second) {
    return false;
  }

  @Override
  public void delete(Path file) {
    inMemory.remove(file);
  }

  @Override
  public void syncDirectory(Path synced) {}

  @Override
  public long usableBytes(Path of) {
    return Long.MAX_VALUE;
  }

  @Override
  public DirectoryLock lock(Path locked, String lockFileName) {
    return () -> {};
  }

  @Override
  public DirectoryLock lockForReading(Path locked, String lockFileName) {
    return () -> {};
  }
}
