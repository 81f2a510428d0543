package io.sifr.internal.io;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.Descriptors.Uninterrupted;
import io.sifr.internal.io.DiskStream.DiskAppendFile;
import io.sifr.internal.io.DiskStream.DiskGrowingFile;
import io.sifr.internal.io.DiskStream.DiskRandomWriteFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The file system of the platform. Paths must belong to the default provider, because only there do
 * calls exist that survive an interrupt (those of {@link RandomAccessFile}).
 *
 * <p>Files are {@code rw-------} and directories {@code rwx------} where the platform has such
 * permissions.
 */
public final class DiskFileSystem implements StoreFileSystem {
  /**
   * Directories cannot be opened there, and so not be synced: the file system logs their changes.
   */
  private static final boolean IS_WINDOWS = System.getProperty("os.name", "").startsWith("Windows");

  private static final String SYNC_THREAD_NAME = "sifr-directory-sync";

  /**
   * The open option that bypasses the page cache; null where the JVM has none, and on Windows,
   * where it has no effect but a handle that is never closed, so that the file stays when it is
   * deleted.
   */
  private static final @Nullable OpenOption DIRECT = direct();

  private static final Set<OpenOption> READ =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  private static final Set<OpenOption> WRITE =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  /** Types of file systems that are in memory. */
  private static final Set<String> VOLATILE = Set.of("tmpfs", "ramfs");

  private static final Descriptors DESCRIPTORS = Descriptors.OF_THIS_PROCESS;

  private final MemoryMapper mapper = bestMapper();

  /** The possibility of direct reads, by directory, as far as known. */
  private final Map<Path, Boolean> blocksAreSmall = new ConcurrentHashMap<>();

  /**
   * Looked up by name: it belongs to the JDK and not to Java SE, and compilers warn about its use.
   */
  private static @Nullable OpenOption direct() {
    if (IS_WINDOWS) {
      return null;
    }
    try {
      Object[] options = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
      return Arrays.stream(options)
          .filter(option -> option.toString().equals("DIRECT"))
          .map(OpenOption.class::cast)
          .findFirst()
          .orElse(null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  private static MemoryMapper bestMapper() {
    return Runtime.version().feature() >= MemoryMapper.ByArena.SINCE_FEATURE
        ? new MemoryMapper.ByArena()
        : new MemoryMapper.ByCleaner();
  }

  @Override
  public void createDirectories(Path directory) {
    make(
        directory,
        () ->
            // Not createDirectories alone: before Java 19 it refuses a symbolic link to a
            // directory.
            Files.isDirectory(directory)
                ? directory
                : Files.createDirectories(directory, permissions(directory, "rwx------")));
  }

  @Override
  public Path realPath(Path directory) {
    return run(directory, "resolve", () -> directory.toRealPath());
  }

  /**
   * Checks a path that a caller has given.
   *
   * @param name of the argument
   * @throws IllegalArgumentException when it is one of another provider, in a ZIP file for example
   */
  @CanIgnoreReturnValue
  public static Path requireOwn(String name, Path path) {
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "%s is %s; allowed: paths of the default file system, not of the provider \"%s\""
              .formatted(name, path.toUri(), path.getFileSystem().provider().getScheme()));
    }
    return path;
  }

  @Override
  public boolean isDirectory(Path path) {
    return Files.isDirectory(path);
  }

  @Override
  public List<String> list(Path directory) {
    return run(
        directory,
        "list",
        () -> {
          List<String> names = new ArrayList<>();
          try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
              names.add(String.valueOf(entry.getFileName()));
            }
          } catch (DirectoryIteratorException e) {
            throw e.getCause();
          }
          names.sort(null);
          return names;
        });
  }

  @Override
  public boolean exists(Path file) {
    return run(
        file,
        "look for",
        () -> {
          try {
            attributes(file);
            return true;
          } catch (NoSuchFileException e) {
            return false;
          }
        });
  }

  @Override
  public long size(Path file) {
    return run(file, "get the size of", () -> attributes(file).size());
  }

  @Override
  public AppendFile create(Path file) {
    return create(file, DiskAppendFile::new);
  }

  @Override
  public AppendFile createDirect(Path file) {
    OpenOption direct = DIRECT;
    if (direct == null) {
      return create(file);
    }
    Set<OpenOption> options = Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, direct);
    return create(
        file,
        (created, stream) ->
            blocksAreSmall(created)
                ? new DiskDirectAppendFile(
                    created, stream, () -> FileChannel.open(created, options))
                : new DiskAppendFile(created, stream));
  }

  /** Makes the file to append to of a stream. */
  private interface Appending {
    AppendFile of(Path file, RandomAccessFile stream) throws IOException;
  }

  private static AppendFile create(Path file, Appending appending) {
    return open(
        file,
        "create",
        () -> {
          createEmpty(file);
          try {
            RandomAccessFile stream = openStream(file);
            try {
              return appending.of(file, stream);
            } catch (IOException | RuntimeException | Error e) {
              stream.close();
              throw e;
            }
          } catch (IOException e) {
            deleteAfter(e, file);
            throw e;
          }
        });
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    return open(file, "open", () -> DiskRandomReadFile.open(file));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return open(
        file,
        "open",
        () -> {
          OpenOption direct = DIRECT;
          if (direct == null) {
            throw new UnsupportedOperationException("this JVM has no direct reads");
          }
          if (!blocksAreSmall(file)) {
            throw new UnsupportedOperationException("blocks of the file system are too large");
          }
          try {
            return DiskRandomReadFile.open(file, direct);
          } catch (IOException e) {
            if (DESCRIPTORS.isLackingFor(e)) {
              throw e;
            }
            // A file system without direct reads refuses the open with nothing but "invalid
            // argument".
            DiskRandomReadFile.open(file).close();
            throw new UnsupportedOperationException(e);
          }
        });
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    return open(
        file,
        "open",
        () -> {
          RandomAccessFile stream = openStream(file);
          try {
            checkSize(file, size, stream.length());
            return new DiskRandomWriteFile(file, stream, size);
          } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
          }
        });
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    return open(
        file,
        "open",
        () -> {
          RandomAccessFile stream = openStream(file);
          try {
            return new DiskGrowingFile(file, stream);
          } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
          }
        });
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    return map(file, size, MapMode.READ_ONLY, READ);
  }

  @Override
  public boolean announcesReads() {
    return Announcements.ofThisProcess().arePossible();
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return map(file, size, MapMode.READ_WRITE, WRITE);
  }

  private MappedRegion map(Path file, long size, MapMode mode, Set<OpenOption> options) {
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "size to map is " + size + "; allowed: 0 to " + Integer.MAX_VALUE);
    }
    return open(
        file,
        "map",
        () -> {
          try (FileChannel channel = FileChannel.open(file, options)) {
            if (mode == MapMode.READ_ONLY) {
              StoreFileSystem.requireSize(file, size, channel.size());
            } else {
              checkSize(file, size, channel.size());
            }
            return new MemoryMapper.Region(file, mapper.map(channel, mode, size));
          }
        });
  }

  @Override
  public void rename(Path source, Path target) {
    run(source, "rename", () -> Files.move(source, target, StandardCopyOption.ATOMIC_MOVE));
  }

  @Override
  public boolean link(Path file, Path second) {
    return run(
        second,
        "link",
        () -> {
          try {
            Files.createLink(second, file);
            return true;
          } catch (FileAlreadyExistsException | NoSuchFileException e) {
            throw e;
          } catch (UnsupportedOperationException | FileSystemException e) {
            return false; // whatever the reason is, a copy can do without
          }
        });
  }

  /** Opens the directory first, so that nothing is renamed when there is no descriptor for it. */
  @Override
  public void renameDurably(Path directory, String source, String target) {
    if (IS_WINDOWS) {
      rename(directory.resolve(source), directory.resolve(target));
      return;
    }
    try (FileChannel channel = openDirectory(directory)) {
      rename(directory.resolve(source), directory.resolve(target));
      sync(channel);
    } catch (IOException e) {
      throw IoErrors.translate(directory, "sync", e);
    }
  }

  @Override
  public void delete(Path file) {
    run(file, "delete", () -> Files.deleteIfExists(file));
  }

  @Override
  public void syncDirectory(Path directory) {
    if (IS_WINDOWS) {
      var unused = open(directory, "open", () -> attributes(directory));
      return;
    }
    try (FileChannel channel = openDirectory(directory)) {
      sync(channel);
    } catch (IOException e) {
      throw IoErrors.translate(directory, "sync", e);
    }
  }

  private static void sync(FileChannel directory) throws IOException {
    Uninterrupted.onOwnThread(
        SYNC_THREAD_NAME,
        () -> {
          directory.force(true);
          return directory;
        });
  }

  private static FileChannel openDirectory(Path directory) {
    return open(directory, "open", () -> FileChannel.open(directory, StandardOpenOption.READ));
  }

  @Override
  public long usableBytes(Path directory) {
    // Not through a FileStore, which reads the table of mounts first: this is called often.
    return FullDisk.usableBytes(directory);
  }

  @Override
  public boolean isVolatile(Path directory) {
    return run(
        directory,
        "get the type of",
        () -> VOLATILE.contains(Files.getFileStore(directory).type()));
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    return run(
        directory,
        "lock",
        () -> {
          Path realDirectory = directory.toRealPath();
          Path lockFile = realDirectory.resolve(lockFileName);
          try {
            createEmpty(lockFile);
          } catch (FileAlreadyExistsException e) {
            checkRegularFile(lockFile);
          }
          return DirectoryLocks.take(directory, realDirectory, lockFile);
        });
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    return run(
        directory,
        "lock",
        () -> {
          Path realDirectory = directory.toRealPath();
          Path lockFile = realDirectory.resolve(lockFileName);
          boolean exists = Files.exists(lockFile, LinkOption.NOFOLLOW_LINKS);
          if (exists) {
            checkRegularFile(lockFile);
          }
          return DirectoryLocks.takeForReading(directory, realDirectory, exists ? lockFile : null);
        });
  }

  private static void createEmpty(Path file) throws IOException {
    FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            permissions(file, "rw-------"))
        .close();
  }

  /** Deletes a file that cannot be used. */
  private static void deleteAfter(IOException failure, Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Opens an existing file to be written by stream calls. */
  private static RandomAccessFile openStream(Path file) throws IOException {
    checkRegularFile(file);
    return new RandomAccessFile(file.toFile(), "rw");
  }

  /** RandomAccessFile has no options to refuse symbolic links or not to create the file. */
  private static void checkRegularFile(Path file) throws IOException {
    if (!attributes(file).isRegularFile()) {
      throw new FileSystemException(file.toString(), null, "is not a regular file");
    }
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static void checkSize(Path file, long wanted, long actual) {
    if (actual < wanted) {
      throw new CorruptionException(
          file, actual, "the file has " + actual + " bytes, " + wanted + " were expected");
    }
  }

  private static FileAttribute<?>[] permissions(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Number of mappings of this JVM that are not unmapped yet. */
  public static int openMappings() {
    return MemoryMapper.Region.open();
  }

  /**
   * Whether direct reads with the usual alignment are possible for this file. Determined once per
   * directory, because it means reading the table of mounts.
   */
  private boolean blocksAreSmall(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      return false;
    }
    Boolean known = blocksAreSmall.get(directory);
    if (known == null) {
      known = Files.getFileStore(file).getBlockSize() <= DIRECT_ALIGNMENT;
      blocksAreSmall.put(directory, known);
    }
    return known;
  }

  private static <T> T make(Path file, Uninterrupted.Operation<T> body) {
    try {
      return DESCRIPTORS.call(body);
    } catch (IOException e) {
      throw IoErrors.translateWrite(file, "create", e);
    }
  }

  /** For an operation that has done nothing when it fails. */
  private static <T> T open(Path file, String operation, Uninterrupted.Operation<T> body) {
    try {
      return DESCRIPTORS.call(body);
    } catch (IOException e) {
      StoreIoException why = IoErrors.translateWrite(file, operation, e);
      throw why instanceof StoreFullException
          ? why
          : new FileNotOpenedException(file, operation, e);
    }
  }

  private static <T> T run(Path file, String operation, Uninterrupted.Operation<T> body) {
    try {
      return DESCRIPTORS.call(body);
    } catch (IOException e) {
      throw IoErrors.translate(file, operation, e);
    }
  }
}
