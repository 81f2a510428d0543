package io.sifr.leveldb.importer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.impl.Iq80DBFactory;

/**
 * A copy of a LevelDB directory beside the store that will be made of it: LevelDB writes to a
 * directory when it opens it, and the source shall stay as it is. Second names for tables would not
 * do: a table that was not finished is written again, under the same name.
 */
final class LevelDbCopy implements AutoCloseable {
  private final Path directory;

  private LevelDbCopy(Path directory) {
    this.directory = directory;
  }

  /**
   * Copies a LevelDB directory that nobody has open.
   *
   * @param target the directory of the copy is beside it
   */
  static LevelDbCopy of(Path source, Path target) throws IOException, ImportException {
    requireUnused(source);
    Path parent = Files.createDirectories(target.toAbsolutePath().getParent());
    LevelDbCopy copy =
        new LevelDbCopy(Files.createTempDirectory(parent, target.getFileName() + ".import-"));
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        copy.add(file);
      }
      return copy;
    } catch (IOException e) {
      copy.close();
      throw e;
    }
  }

  private static void requireUnused(Path source) throws IOException, ImportException {
    try {
      Files.readAllBytes(source.resolve("CURRENT"));
    } catch (NoSuchFileException e) {
      throw new ImportException(source + " is no LevelDB directory: it has no file CURRENT", e);
    }
    try (FileChannel channel = FileChannel.open(source.resolve("LOCK"), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        throw new ImportException(source + " is open in another process");
      }
    } catch (NoSuchFileException | AccessDeniedException e) {
      // Who cannot lock it cannot know; a copy of files that are being written is found damaged.
    }
  }

  private void add(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (!name.equals("LOCK")) {
      Files.copy(file, directory.resolve(name));
    }
  }

  DB open() throws IOException {
    return Iq80DBFactory.factory.open(
        directory.toFile(),
        new Options().createIfMissing(false).paranoidChecks(true).verifyChecksums(true));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
