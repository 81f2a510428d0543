package io.sifr.internal.readonly;

import io.sifr.error.SifrException;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.wal.WalSegmentReader;
import java.nio.file.Path;

/**
 * The log that a moment has, and what its writer retains of older log. A retained segment is copied
 * when a reader comes to it. The writer says in its manifest that it is retained no more before it
 * changes the file: so the manifest is read after the file, and if the copy is not whole, that does
 * not name the segment any more.
 *
 * <p>Thread-safe.
 */
final class MomentChangeLog extends ChangeLog {
  private static final int MOST_ATTEMPTS = 20;

  private final StoreFileSystem disk;
  private final StoreFileSystem files;
  private final Path directory;

  /** The newest that was read. */
  private volatile Catalog known;

  /**
   * @param opened the log of the engine over the same moment
   * @param disk has what is retained
   * @param files of the moment
   * @param catalog of the moment, with what was retained then
   */
  MomentChangeLog(
      ChangeLog opened,
      StoreFileSystem disk,
      StoreFileSystem files,
      Path directory,
      Catalog catalog) {
    super(opened);
    this.disk = disk;
    this.files = files;
    this.directory = directory;
    this.known = catalog;
  }

  @Override
  public Catalog catalog() {
    return known;
  }

  @Override
  public WalSegmentReader open(long number) {
    Path path = FileKind.WAL.path(directory, number);
    if (files.exists(path)) {
      return super.open(number);
    }
    MomentFileSystem copy = new MomentFileSystem(disk, directory);
    try (RandomReadFile file = disk.openForRead(path)) {
      copy.add(path, MemoryFile.copyBackwards(path, file));
    } finally {
      known = newestCatalog();
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
