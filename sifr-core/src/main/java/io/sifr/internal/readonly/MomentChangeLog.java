package io.sifr.internal.readonly;

import io.sifr.error.SifrException;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import io.sifr.internal.wal.WalSegmentReader;
import java.nio.file.Path;
import java.util.List;

/**
 * The log that a moment has, up to its end, and what its writer retains of older log. A retained
 * segment is copied when it is read. The writer says in its manifest that it is retained no more
 * before it changes the file: so the manifest is read after the file, and if it still names the
 * segment, the copy is whole.
 *
 * <p>Thread-safe.
 */
final class MomentChangeLog extends ChangeLog {
  private static final int MOST_ATTEMPTS = 20;

  private final StoreFileSystem disk;
  private final Path directory;
  private final LogOfMoment log;

  /** The newest that was read. */
  private volatile Catalog known;

  /**
   * The log of a moment.
   *
   * @param catalog of the moment, with what was retained then
   * @param files the segments that are not flushed, in memory
   * @param end where the last one ends
   */
  record LogOfMoment(Catalog catalog, MomentFileSystem files, SyncedMark end) {}

  /**
   * @param opened of the engine over the same moment
   * @param disk has what is retained
   */
  MomentChangeLog(ChangeLog opened, StoreFileSystem disk, Path directory, LogOfMoment log) {
    super(opened);
    this.disk = disk;
    this.directory = directory;
    this.log = log;
    this.known = log.catalog();
  }

  @Override
  public Catalog catalog() {
    return known;
  }

  @Override
  public List<Long> needed() {
    return FileKind.WAL.numbersIn(log.files(), directory);
  }

  @Override
  public SyncedMark synced() {
    return log.end();
  }

  @Override
  public boolean syncRest() {
    return false;
  }

  @Override
  public WalSegmentReader open(long number) {
    Path path = FileKind.WAL.path(directory, number);
    if (log.files().exists(path)) {
      return WalSegmentReader.open(log.files(), directory, number);
    }
    MomentFileSystem copy = new MomentFileSystem(disk, directory);
    try (RandomReadFile file = disk.openForRead(path)) {
      copy.add(path, MemoryFile.copyBackwards(path, file));
    } finally {
      known = newestCatalog();
    }
    if (!known.isRetained(number)) {
      throw new SifrException(path + " is retained no more");
    }
    return WalSegmentReader.open(copy, directory, number);
  }

  /** What the manifest says now, which somebody may be replacing. */
  private Catalog newestCatalog() {
    for (int attempt = 1; ; attempt++) {
      try {
        return Manifest.recover(disk, directory).catalog();
      } catch (SifrException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
