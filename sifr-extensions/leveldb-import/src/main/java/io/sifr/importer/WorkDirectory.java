package io.sifr.importer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory beside the place of a store, in which the store is made, deleted in the end. */
final class WorkDirectory implements AutoCloseable {
  private final Path parent;
  private final Path directory;

  private WorkDirectory(Path parent, Path directory) {
    this.parent = parent;
    this.directory = directory;
  }

  static WorkDirectory beside(Path target) throws IOException {
    Path place = target.toAbsolutePath().normalize();
    if (place.getParent() == null || place.getFileName() == null) {
      throw new IOException("it has no name");
    }
    Path parent = Files.createDirectories(place.getParent());
    return new WorkDirectory(
        parent, Files.createTempDirectory(parent, place.getFileName() + ".import-"));
  }

  /** Where the store is made. */
  Path store() {
    return directory.resolve("store");
  }

  /** A new directory in it for other files. */
  Path forFiles() throws IOException {
    return Files.createTempDirectory(directory, "files-");
  }

  /** Gives the store its place, durably. It must be closed. */
  void moveStoreTo(Path target) throws IOException {
    Files.move(store(), target, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel channel = FileChannel.open(parent, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Windows opens no directories, and makes names durable by itself.
      if (parent.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        throw e;
      }
    }
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
