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
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file system in which all files of a store seem to be in the store's directory, although some
 * are in a {@link FastDirectory}. So nothing but who creates a file has to know where it is.
 *
 * <p>A numbered file lies where it was created: its place is looked for whenever it is used, which
 * is sure because no number is used twice. One that is not in the store's directory is in the
 * other, so what is in the first is found without a look at the second. Names in both directories
 * become durable with the same {@link #syncDirectory}; a sync of the fast one alone does not wait
 * for the other. A file cannot be renamed from one to the other.
 *
 * <p>Thread-safe.
 */
public final class Volumes implements StoreFileSystem {
  private final StoreFileSystem disk;

  /** Names of the store's directory. */
  private final Set<Path> directories;

  private final FastDirectory fast;

  /**
   * Files of the fast directory whose names may not be durable. Those that are deleted are none of
   * them, so a device that is gone stops only who needs what is there. At first the mark stands for
   * what an earlier process has left.
   */
  private final Set<Path> unsynced = ConcurrentHashMap.newKeySet();

  /**
   * @param directory the store's, by the name by which its files are asked for; or by its real one
   */
  Volumes(StoreFileSystem disk, Path directory, FastDirectory fast) {
    this.disk = disk;
    this.directories = Set.copyOf(List.of(directory, disk.realPath(directory)));
    this.fast = fast;
    unsynced.add(fast.path().resolve(VolumeMark.OWNER));
  }

  @Override
  public Path placeOf(Path file) {
    String name = String.valueOf(file.getFileName());
    if (isStores(file.getParent()) && FastDirectory.isNumbered(name)) {
      return disk.exists(file) ? file : fast.path().resolve(name);
    }
    return file;
  }

  private boolean isStores(@Nullable Path directory) {
    return directory != null && directories.contains(directory);
  }

  private boolean isFast(Path file) {
    return fast.path().equals(file.getParent());
  }

  @Override
  public Path placeForRows(Path of) {
    return isStores(of) && fast.takesRows() ? fast.path() : of;
  }

  @Override
  public Path placeForLog(Path of, long bytes) {
    return isStores(of) && fast.takesLog(bytes) ? fast.path() : of;
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
    return named(file, fast.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    if (!isFast(file)) {
      return disk.createDirect(file);
    }
    return named(file, fast.createDirect(file));
  }

  /** Only now, as a sync that came before may not have reached the name. */
  private <T> T named(Path file, T result) {
    unsynced.add(file);
    return result;
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
    Path place = placeOf(file);
    return isFast(place)
        ? fast.watched(() -> disk.mapForWrite(place, size))
        : disk.mapForWrite(place, size);
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    Path place = placeOf(file);
    return isFast(place)
        ? fast.watched(() -> disk.openForWrite(place, size))
        : disk.openForWrite(place, size);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return disk.openToGrow(placeOf(file));
  }

  @Override
  public void rename(Path source, Path target) {
    if (!isFast(source)) {
      disk.rename(source, target);
      return;
    }
    unsynced.remove(source);
    unsynced.add(
        fast.watched(
            () -> {
              disk.rename(source, target);
              return target;
            }));
  }

  /** The fast directory first: whatever the new name is for may need what is there. */
  @Override
  public void renameDurably(Path of, String source, String target) {
    syncFastOf(of);
    disk.renameDurably(of, source, target);
  }

  @Override
  public boolean link(Path file, Path second) {
    return disk.link(placeOf(file), second);
  }

  @Override
  public void delete(Path file) {
    Path place = placeOf(file);
    unsynced.remove(place);
    disk.delete(place);
  }

  @Override
  public void syncDirectory(Path synced) {
    if (synced.equals(fast.path())) {
      syncFast();
      return;
    }
    syncFastOf(synced);
    disk.syncDirectory(synced);
  }

  private void syncFastOf(Path synced) {
    if (isStores(synced)) {
      syncFast();
    }
  }

  /** One at a time: who finds nothing to sync knows that all is durable. */
  private synchronized void syncFast() {
    List<Path> files = List.copyOf(unsynced);
    if (!files.isEmpty()) {
      disk.syncDirectory(fast.path());
      files.forEach(unsynced::remove);
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
