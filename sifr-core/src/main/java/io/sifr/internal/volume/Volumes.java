package io.sifr.internal.volume;

import io.sifr.event.SstPlace;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.format.FileKind;
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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file system in which all files of a store seem to be in the store's directory, although some
 * are in a {@link SideDirectory}. So nothing but who creates a file has to know where it is.
 *
 * <p>A numbered file lies where it was created: its place is looked for whenever it is used, which
 * is sure because no number is used twice. The store's directory is asked first, so what is there
 * is found although another device is gone, and a cold one last, since that may take long; where an
 * SST lies is remembered. Names in all directories become durable with the same {@link
 * #syncDirectory}; a sync of another one alone does not wait for the store's. A file cannot be
 * renamed from one to the other.
 *
 * <p>Thread-safe.
 */
public final class Volumes implements StoreFileSystem {
  private final StoreFileSystem disk;
  private final Path directory;

  /** Names of the store's directory. */
  private final Set<Path> directories;

  private final @Nullable SideDirectory fast;
  private final @Nullable SideDirectory cold;

  /** Those that there are. */
  private final List<SideDirectory> sides;

  /**
   * @param directory the store's, by the name by which its files are asked for; or by its real one
   */
  Volumes(
      StoreFileSystem disk,
      Path directory,
      @Nullable SideDirectory fast,
      @Nullable SideDirectory cold) {
    this.disk = disk;
    this.directory = directory;
    this.directories = Set.copyOf(List.of(directory, disk.realPath(directory)));
    this.fast = fast;
    this.cold = cold;
    this.sides = Stream.of(fast, cold).flatMap(Stream::ofNullable).toList();
  }

  @Override
  public StoreFileSystem withoutOtherDevices() {
    return disk;
  }

  @Override
  public Path placeOf(Path file) {
    String name = String.valueOf(file.getFileName());
    if (!isStores(file.getParent()) || !SideDirectory.mayHave(name) || disk.exists(file)) {
      return file;
    }
    for (SideDirectory side : sides) {
      if (side.hasSeen(name)) {
        return side.path().resolve(name); // although its device may be gone, or another one
      }
    }
    Path row = fast == null ? file : fast.path().resolve(name);
    if (cold != null && FileKind.SST.numberOf(name).isPresent()) {
      Path last = cold.path().resolve(name);
      boolean isRow = fast != null && disk.exists(row);
      return !isRow && disk.exists(last) ? last : row;
    }
    return row;
  }

  private boolean isStores(@Nullable Path of) {
    return of != null && directories.contains(of);
  }

  /** The other directory that a file is in; null for none. */
  private @Nullable SideDirectory sideOf(Path file) {
    for (SideDirectory side : sides) {
      if (side.path().equals(file.getParent())) {
        return side;
      }
    }
    return null;
  }

  /**
   * {@inheritDoc}
   *
   * <p>In the cold directory a file may stay: nothing is written only to bring it back.
   */
  @Override
  public boolean isInPlace(Path file, Path into) {
    Path place = placeOf(file);
    SideDirectory side = sideOf(place);
    return side == null ? isStores(into) : side.path().equals(into) || staysCold(side, into);
  }

  private boolean staysCold(SideDirectory side, Path into) {
    return side.equals(cold) && side.isWanted() && isStores(into);
  }

  @Override
  public Path placeForRows(Path of) {
    return place(of, fast);
  }

  @Override
  public Path placeForLast(Path of) {
    return place(of, cold);
  }

  @Override
  public Path placeForLog(Path of, long bytes) {
    return fast != null && isStores(of) && fast.takesLog(bytes) ? fast.path() : of;
  }

  @Override
  public void failed(Path file) {
    sides.stream().filter(side -> file.startsWith(side.path())).forEach(SideDirectory::failed);
  }

  private Path place(Path of, @Nullable SideDirectory side) {
    return side != null && isStores(of) && side.takesSsts() ? side.path() : of;
  }

  /** {@inheritDoc} Not for somebody who only reads, or has given the cold directory up. */
  @Override
  public boolean isFar(Path sst) {
    return cold != null
        && cold.isWanted()
        && isStores(sst.getParent())
        && (disk.exists(tailOf(sst)) || cold.equals(sideOf(placeOf(sst))));
  }

  /** The copy of the end of an SST that may be cold. */
  private Path tailOf(Path sst) {
    return FileKind.SST
        .numberOf(String.valueOf(sst.getFileName()))
        .map(number -> FileKind.TAIL.path(directory, number))
        .orElse(sst);
  }

  @Override
  public SstPlace placeOfSst(Path of, long number) {
    if (isStores(of)) {
      String name = FileKind.SST.fileName(number);
      for (SideDirectory side : sides) {
        if (side.has(name)) {
          return side.tier().place();
        }
      }
    }
    return SstPlace.STORE;
  }

  @Override
  public long writtenBytes(SstPlace place) {
    return sides.stream()
        .filter(side -> side.tier().place() == place)
        .mapToLong(SideDirectory::writtenBytes)
        .sum();
  }

  @Override
  public boolean mapsSsts() {
    return cold == null && disk.mapsSsts();
  }

  @Override
  public FileKeys keys() {
    return disk.keys();
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
    sides.forEach(side -> names.addAll(side.names()));
    return List.copyOf(names);
  }

  @Override
  public boolean exists(Path file) {
    Path place = placeOf(file);
    SideDirectory side = sideOf(place);
    return side == null ? disk.exists(place) : side.exists(place);
  }

  @Override
  public long size(Path file) {
    return read(file, disk::size);
  }

  @Override
  public AppendFile create(Path file) {
    SideDirectory side = sideOf(file);
    return side == null ? disk.create(file) : side.create(file);
  }

  @Override
  public AppendFile createDirect(Path file) {
    SideDirectory side = sideOf(file);
    return side == null ? disk.createDirect(file) : side.createDirect(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return opened(file, disk::openForRead);
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return opened(file, disk::openForDirectRead);
  }

  private RandomReadFile opened(Path file, Function<Path, RandomReadFile> opening) {
    Path place = placeOf(file);
    SideDirectory side = sideOf(place);
    return side == null ? opening.apply(place) : new SideReadFile(side, place, opening);
  }

  private <T> T read(Path file, Function<Path, T> action) {
    Path place = placeOf(file);
    SideDirectory side = sideOf(place);
    return side == null ? action.apply(place) : side.read(place, () -> action.apply(place));
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return read(file, place -> disk.mapForRead(place, size));
  }

  @Override
  public boolean announcesReads() {
    return mapsSsts() && disk.announcesReads();
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    Path place = placeOf(file);
    return watched(place, () -> disk.mapForWrite(place, size));
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    Path place = placeOf(file);
    return watched(place, () -> disk.openForWrite(place, size));
  }

  private <T> T watched(Path place, Supplier<T> action) {
    SideDirectory side = sideOf(place);
    return side == null ? action.get() : side.watched(action);
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return disk.openToGrow(placeOf(file));
  }

  @Override
  public void rename(Path source, Path target) {
    SideDirectory side = sideOf(source);
    if (side == null) {
      disk.rename(source, target);
    } else {
      side.rename(source, target);
    }
  }

  @Override
  public void renameDurably(Path of, String source, String target) {
    disk.renameDurably(of, source, target);
  }

  @Override
  public boolean link(Path file, Path second) {
    return disk.link(placeOf(file), second);
  }

  /** Before an SST that may be cold the copy of its end, which would be an orphan without it. */
  @Override
  public void delete(Path file) {
    Path place = placeOf(file);
    SideDirectory side = sideOf(place);
    if (side == null) {
      disk.delete(place);
      return;
    }
    if (side.equals(cold)) {
      disk.delete(tailOf(file));
    }
    side.delete(place);
  }

  @Override
  public void syncDirectory(Path synced) {
    for (SideDirectory side : sides) {
      if (side.path().equals(synced)) {
        side.sync();
        return;
      }
    }
    syncSides(synced);
    disk.syncDirectory(synced);
  }

  private void syncSides(Path synced) {
    if (isStores(synced)) {
      sides.forEach(SideDirectory::sync);
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
