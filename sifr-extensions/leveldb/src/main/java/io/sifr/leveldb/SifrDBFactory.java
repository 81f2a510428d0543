package io.sifr.leveldb;

import io.sifr.Store;
import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.Options;

/**
 * Opens Sifr stores as databases of LevelDB's interface. They hold their entries in the database
 * {@value Store#DEFAULT_DATABASE} of the store, ordered by unsigned bytes.
 *
 * <p>Keys are up to 65,536 bytes long; a longer one is an {@link IllegalArgumentException}. What
 * LevelDB's interface does not say is as with Sifr: a write without {@code sync} survives the end
 * of the process, and one with {@code sync} a power loss. Thread-safe.
 */
public class SifrDBFactory implements DBFactory {
  /** One for everybody. */
  public static final SifrDBFactory INSTANCE = new SifrDBFactory();

  /** Opens any. */
  public SifrDBFactory() {}

  /**
   * Opens a database.
   *
   * @param directory its directory; what is in there must be a store of Sifr's, or nothing of a
   *     store. A directory of LevelDB's is refused
   * @param options see the README of this library for what becomes of each
   * @throws NoSuchFileException when there is none, and the options forbid to create one
   * @throws FileAlreadyExistsException when there is one, and the options forbid that
   * @throws IOException when it is open already, is damaged, or cannot be opened for another reason
   * @throws IllegalArgumentException when the options have a comparator of their own
   */
  @Override
  public DB open(File directory, Options options) throws IOException {
    Path path = directory.toPath();
    Settings.requireBytewise(options.comparator());
    try {
      if (options.errorIfExists() && Store.exists(path)) {
        throw new FileAlreadyExistsException(
            path.toString(), null, "exists (errorIfExists is true)");
      } else if (!options.createIfMissing() && !Store.exists(path)) {
        // Programs look for the words "does not exist", which LevelDB has.
        throw new NoSuchFileException(
            path.toString(), null, "does not exist (createIfMissing is false)");
      }
      return new SifrDB(
          Store.builder(path)
              .options(Settings.of(options))
              .listener(Messages.to(options.logger()))
              .open());
    } catch (SifrException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Deletes a database, of whatever options: the files of a store, and the directory if nothing
   * else is in it. If there is none, nothing happens.
   *
   * @throws IOException when it is open, cannot be deleted, or is a directory of LevelDB or
   *     RocksDB, in which nothing is deleted
   */
  @Override
  public void destroy(File directory, Options options) throws IOException {
    try {
      Store.destroy(directory.toPath());
    } catch (SifrException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Checks a database and, if it is damaged, rescues into its place what can be read, as {@link
   * Salvage} says. What was there is kept beside it, in a directory whose name ends with {@code
   * .damaged}.
   *
   * @throws IOException when it is open, holds nothing of a store, is a directory of LevelDB or
   *     RocksDB, or there is such a directory already
   */
  @Override
  public void repair(File directory, Options options) throws IOException {
    Path path = directory.toPath().toAbsolutePath();
    try {
      if (StoreCheck.run(path, CheckProgress.NONE).findings().isEmpty()) {
        return;
      }
      Path rescued = path.resolveSibling(path.getFileName() + ".rescued");
      Path damaged = path.resolveSibling(path.getFileName() + ".damaged");
      if (Files.exists(damaged)) {
        throw new IOException(damaged + " exists: it holds what an earlier repair has left");
      }
      Store.destroy(rescued); // of a repair that was interrupted
      var unused = Salvage.run(path, rescued, CheckProgress.NONE);
      Files.move(path, damaged);
      Files.move(rescued, path);
    } catch (SifrException | IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return "Sifr";
  }
}
