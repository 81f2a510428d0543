package io.sifr.internal.backup;

import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory in which the files of a point's own are made, before they are objects: a copy of the
 * log, a manifest. Used by one thread.
 */
final class Spool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
  private static final String NAME = "sifr-backup-";

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final boolean isPlace;

  private Spool(StoreFileSystem fileSystem, Path directory, boolean isPlace) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.isPlace = isPlace;
  }

  /** The directory is where the objects of these files belong, so they are when they are made. */
  static Spool inPlace(StoreFileSystem fileSystem, Path directory) {
    return new Spool(fileSystem, directory, true);
  }

  /** A temporary directory of this machine. */
  static Spool temporary(StoreFileSystem fileSystem) {
    try {
      return new Spool(fileSystem, Files.createTempDirectory(NAME), false);
    } catch (IOException e) {
      throw new StoreIoException(
          Path.of(System.getProperty("java.io.tmpdir", "")), "create a directory in", e);
    }
  }

  /** Where files are to be made. */
  Path directory() {
    return directory;
  }

  /**
   * Makes a file an object.
   *
   * @param name of the object
   * @return CRC32C of the file
   */
  int put(Path file, ObjectAccess objects, String name, Runnable eachStep) {
    long bytes = fileSystem.size(file);
    if (isPlace) {
      return new FileCopy(fileSystem, eachStep).checksum(file, bytes);
    }
    FileContent content = new FileContent(fileSystem, file, bytes, eachStep);
    objects.put(name, content);
    return content.checksum();
  }

  /** Deletes what is temporary; what cannot be deleted is left. */
  @Override
  public void close() {
    if (isPlace) {
      return;
    }
    try {
      fileSystem.list(directory).forEach(name -> fileSystem.delete(directory.resolve(name)));
      fileSystem.delete(directory);
    } catch (SifrException e) {
      LOG.warn("a temporary directory is left: {}", e.getMessage());
    }
  }
}
