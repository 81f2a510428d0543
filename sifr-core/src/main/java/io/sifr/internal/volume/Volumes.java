package io.sifr.internal.volume;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A file system in which all files of a store seem to be in the store's directory, although some
 * are in a {@link FastDirectory}. So nothing but who creates a file has to know where it is.
 *
 * <p>A numbered file lies where it was created: its place is looked for whenever it is used, which
 * is sure because no number is used twice. Names in both directories become durable with the same
 * {@link #syncDirectory}. A file cannot be renamed from one to the other.
 *
 * <p>Thread-safe.
 */
public final class Volumes implements StoreFileSystem {
  private final StoreFileSystem disk;

  /** Names of the store's directory. */
  private final Set<Path> directories;

  private final FastDirectory fast;

  /** Whether names in the fast directory have changed since it was synced. */
  private final AtomicBoolean isFastUnsynced = new AtomicBoolean(true);

  /**
   * @param directory the store's, by the name by which its files are asked for; or by its real one
   */
  Volumes(StoreFileSystem disk, Path directory, FastDirectory fast) {
    this.disk = disk;
    this.directories = Set.copyOf(List.of(directory, disk.realPath(directory)));
    this.fast = fast;
  }

  @Override
  public Path placeOf(Path file) {
    String name = String.valueOf(file.getFileName());
    if (isStores(file.getParent()) && FastDirectory.isNumbered(name)) {
      Path other = fast.path().resolve(name);
      if (disk.exists(other)) {
        return other;
      }
    }
    return file;
  }

  private boolean isStores(@Nullable Path directory) {
    return directory != null && directories.contains(directory);
  }

  private boolean isFast(Path file) {
    return fast.path().equals(file.getParent());
  }

  private void changed(Path file) {
    if (isFast(file)) {
      isFastUnsynced.set(true);
    }
  }

  @Override
  public Path placeForRows(Path of) {
    return isStores(of) && fast.takesRows() ? fast.path() : of;
  }

  @Override
  public void createDirectories(Path created) {
    disk.createDirectories(created);
  }

  @Override
  public Path realPath(Path given) {
    return disk.realPath(given);
  }

  @Override
  public boolean isDirectory(Path path) {
    return disk.isDirectory(path);
  }

  @Override
  public List<String> list(Path listed) {
    if (!isStores(listed)) {
      return disk.list(listed);
    }
    TreeSet<String> names = new TreeSet<>(disk.list(listed));
    names.addAll(fast.names());
    return List.copyOf(names);
  }

  @Override
  public boolean exists(Path file) {
    return disk.exists(placeOf(file));
  }

  @Override
  public long size(Path file) {
    return disk.size(placeOf(file));
  }

  @Override
  public AppendFile create(Path file) {
    if (!isFast(file)) {
      return disk.create(file);
    }
    isFastUnsynced.set(true);
    return fast.create(file);
  }

  @Override
  public AppendFile createDirect(Path file) {
    if (!isFast(file)) {
      return disk.createDirect(file);
    }
    isFastUnsynced.set(true);
    return fast.createDirect(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return disk.openForRead(placeOf(file));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return disk.openForDirectRead(placeOf(file));
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return disk.mapForRead(placeOf(file), size);
  }

  @Override
  public boolean announcesReads() {
    return disk.announcesReads();
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return disk.mapForWrite(placeOf(file), size);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return disk.openForWrite(placeOf(file), size);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return disk.openToGrow(placeOf(file));
  }

  @Override
  public void rename(Path source, Path target) {
    disk.rename(source, target);
  }

  /** The fast directory first: whatever the new name is for may need what is there. */
  @Override
  public void renameDurably(Path of, String source, String target) {
    syncFast(of);
    disk.renameDurably(of, source, target);
  }

  @Override
  public boolean link(Path file, Path second) {
    return disk.link(placeOf(file), second);
  }

  @Override
  public void delete(Path file) {
    Path place = placeOf(file);
    disk.delete(place);
    changed(place);
  }

  @Override
  public void syncDirectory(Path synced) {
    syncFast(synced);
    disk.syncDirectory(synced);
  }

  private void syncFast(Path synced) {
    if (!isStores(synced) || !isFastUnsynced.getAndSet(false)) {
      return;
    }
    try {
      disk.syncDirectory(fast.path());
    } catch (RuntimeException | Error e) {
      isFastUnsynced.set(true);
      throw e;
    }
  }

  @Override
  public long usableBytes(Path of) {
    return disk.usableBytes(of);
  }

  @Override
  public DirectoryLock lock(Path locked, String lockFileName) {
    return disk.lock(locked, lockFileName);
  }

  @Override
  public DirectoryLock lockForReading(Path locked, String lockFileName) {
    return disk.lockForReading(locked, lockFileName);
  }

  @Override
  public void reached(CrashPoint point) {
    disk.reached(point);
  }
}
