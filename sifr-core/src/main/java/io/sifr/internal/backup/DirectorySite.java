package io.sifr.internal.backup;

import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage.StoredObject;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A backup in a directory: objects are files, one process at a time has its lock, and directories
 * of points tell which numbers were given.
 */
final class DirectorySite implements BackupSite {
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final DirectoryStorage storage;
  private final ObjectAccess objects;

  DirectorySite(StoreFileSystem fileSystem, Path directory) {
    this.fileSystem = fileSystem;
    this.directory = directory.toAbsolutePath().normalize();
    this.storage = new DirectoryStorage(fileSystem, this.directory);
    this.objects = new ObjectAccess(storage, this.directory::resolve, false, () -> {});
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  @Override
  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  public ObjectAccess objects() {
    return objects;
  }

  private Path points() {
    return directory.resolve("points");
  }

  private Path ssts() {
    return directory.resolve("ssts");
  }

  private boolean hasMark() {
    return fileSystem.exists(directory.resolve(ObjectNames.MARK));
  }

  @Override
  public boolean isBackup() {
    return fileSystem.isDirectory(directory) && hasMark();
  }

  @Override
  public void createIfMissing(StoreEngine engine) {
    Places.requireOutside(fileSystem, directory, engine.directory());
    if (fileSystem.exists(directory) && !hasMark()) {
      requireFree();
    }
    DurableDirectories.create(fileSystem, directory, existing -> hasMark());
    try (DirectoryLock lock = lock()) {
      if (!hasMark()) {
        requireFree();
        fileSystem.createDirectories(ssts());
        fileSystem.createDirectories(points());
        fileSystem.syncDirectory(directory); // the mark means that there are both
        objects.put(ObjectNames.MARK, ObjectNames.markContent());
        objects.sync();
      }
    }
  }

  /** Nothing may be there but what an interrupted creation leaves. */
  private void requireFree() {
    List<String> left =
        List.of(
            Opening.LOCK_FILE, ObjectNames.MARK + DirectoryStorage.UNFINISHED, "ssts", "points");
    if (!left.containsAll(fileSystem.list(directory))) {
      throw new IllegalArgumentException(
          directory + " is not empty and holds no backup; a backup begins in an empty directory");
    }
  }

  @Override
  public void requireOutside(Path target) {
    Places.requireOutside(fileSystem, target, fileSystem.realPath(directory));
  }

  private DirectoryLock lock() {
    return fileSystem.lock(directory, Opening.LOCK_FILE);
  }

  @Override
  public DirectoryLock lockForReading() {
    return fileSystem.lockForReading(directory, Opening.LOCK_FILE);
  }

  @Override
  public Turn begin(boolean creates) {
    return new Locked(lock());
  }

  /** A use of the directory that excludes all others. */
  private final class Locked implements Turn {
    private final DirectoryLock lock;

    Locked(DirectoryLock lock) {
      this.lock = lock;
    }

    @Override
    public ObjectAccess objects() {
      return DirectorySite.this.objects;
    }

    private LongStream numbers() {
      return fileSystem.list(points()).stream()
          .flatMapToLong(name -> ObjectNames.number(name).stream());
    }

    @Override
    public long newNumber() {
      long number = numbers().max().orElse(0) + 1;
      fileSystem.createDirectories(points().resolve(ObjectNames.digits(number)));
      fileSystem.syncDirectory(points());
      return number;
    }

    @Override
    public Spool spool(StoreFileSystem ofStore, long number) {
      return Spool.inPlace(fileSystem, points().resolve(ObjectNames.digits(number)));
    }

    /** No call has an effect after it has returned, and a file that was damaged gets its name. */
    @Override
    public long upload(long number) {
      return 0;
    }

    @Override
    public boolean isAlone() {
      return true;
    }

    @Override
    public void requireKnown() {
      // It has the lock.
    }

    /** The directory with the largest number stays, so that no number is given twice. */
    @Override
    public int tidy(List<StoredObject> objects, boolean isAlone) {
      String newest = ObjectNames.digits(numbers().max().orElse(0));
      for (String name : fileSystem.list(points())) {
        Path folder = points().resolve(name);
        if (ObjectNames.number(name).isPresent()
            && !name.equals(newest)
            && fileSystem.isDirectory(folder)
            && fileSystem.list(folder).isEmpty()) {
          storage.deleteFolder(ObjectNames.POINTS + name);
        }
      }
      return 0;
    }

    @Override
    public void close() {
      lock.close();
    }
  }
}
