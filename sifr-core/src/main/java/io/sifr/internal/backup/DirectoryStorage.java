package io.sifr.internal.backup;

import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Objects that are files below a directory. What an object contains is durable when it was put, its
 * name when {@link #sync} has returned: one sync of a directory serves all that were put in it.
 *
 * <p>It does not say when an object was put: who uses a directory locks it.
 */
final class DirectoryStorage implements BackupStorage {
  /** What the name of a file ends with until it is whole. */
  static final String UNFINISHED = ".tmp";

  private static final int BUFFER_BYTES = 1 << 20;

  private final StoreFileSystem fileSystem;
  private final Path directory;

  /** Directories with names that may not be durable, and how often each was changed. */
  private final Map<Path, Long> unsynced = new ConcurrentHashMap<>();

  DirectoryStorage(StoreFileSystem fileSystem, Path directory) {
    this.fileSystem = fileSystem;
    this.directory = directory;
  }

  /** The file of an object. */
  Path path(String name) {
    if (!ObjectNames.isSafe(name)) {
      throw new IllegalArgumentException("\"" + name + "\" is no name of an object");
    }
    return directory.resolve(name);
  }

  private static Path parent(Path file) {
    return Objects.requireNonNull(file.getParent());
  }

  @Override
  public void put(String name, Content content) throws IOException {
    Path file = path(name);
    Path parent = parent(file);
    if (!fileSystem.isDirectory(parent)) {
      fileSystem.createDirectories(parent);
      changed(parent(parent));
    }
    Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    fileSystem.delete(unfinished);
    try {
      write(unfinished, content);
      fileSystem.rename(unfinished, file);
    } catch (RuntimeException | IOException | Error e) {
      try {
        fileSystem.delete(unfinished);
      } catch (SifrException second) {
        e.addSuppressed(second);
      }
      throw e;
    } finally {
      changed(parent); // a rename that has failed may be in effect
    }
  }

  private void changed(Path folder) {
    unsynced.merge(folder, 1L, Long::sum);
  }

  private void write(Path file, Content content) throws IOException {
    long bytes = content.bytes();
    byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER_BYTES, bytes))];
    try (InputStream in = content.open();
        AppendFile to = fileSystem.create(file)) {
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        to.append(buffer, 0, length);
      }
      if (to.position() != bytes) {
        throw new EOFException("there are " + to.position() + " bytes, not " + bytes);
      }
      to.sync();
    }
  }

  @Override
  public InputStream get(String name) throws NoSuchFileException {
    Path file = path(name);
    if (!fileSystem.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return new FileStream(fileSystem, file, fileSystem.size(file), () -> {});
  }

  @Override
  public void list(String prefix, Consumer<StoredObject> found) {
    Path folder = prefix.isEmpty() ? directory : path(prefix.substring(0, prefix.length() - 1));
    if (fileSystem.isDirectory(folder)) {
      list(fileSystem.realPath(folder), prefix, found);
    }
  }

  private void list(Path folder, String prefix, Consumer<StoredObject> found) {
    for (String name : fileSystem.list(folder)) {
      Path path = folder.resolve(name);
      if (!fileSystem.isDirectory(path)) {
        OptionalLong bytes = sizeIfThere(path);
        if (bytes.isPresent()) {
          found.accept(new StoredObject(prefix + name, bytes.getAsLong(), Instant.EPOCH));
        }
      } else if (isOfBackup(prefix + name + "/") || fileSystem.realPath(path).equals(path)) {
        list(fileSystem.realPath(path), prefix + name + "/", found);
      } // a link may lead anywhere
    }
  }

  /** Where the files are, perhaps on another disk by a link. */
  private static boolean isOfBackup(String folder) {
    return folder.equals(ObjectNames.SSTS) || folder.equals(ObjectNames.POINTS);
  }

  /** Another process may delete it at any moment. */
  private OptionalLong sizeIfThere(Path file) {
    try {
      return OptionalLong.of(fileSystem.size(file));
    } catch (StoreIoException e) {
      if (fileSystem.exists(file)) {
        throw e;
      }
      return OptionalLong.empty();
    }
  }

  @Override
  public void delete(String name) {
    Path file = path(name);
    try {
      fileSystem.delete(file);
    } finally {
      changed(parent(file));
    }
  }

  /** Deletes a folder in which nothing is left. */
  void deleteFolder(String name) {
    Path folder = path(name);
    fileSystem.delete(folder);
    unsynced.remove(folder);
  }

  @Override
  public void sync() {
    Map.copyOf(unsynced)
        .forEach(
            (folder, changes) -> {
              if (fileSystem.isDirectory(folder)) {
                fileSystem.syncDirectory(folder);
              }
              unsynced.remove(folder, changes); // not if it was changed meanwhile
            });
  }
}
