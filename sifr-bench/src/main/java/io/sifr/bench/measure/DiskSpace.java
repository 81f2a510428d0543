package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;

/** The space a directory takes. */
public final class DiskSpace {
  /** The ends of the names of tables: Sifr's and RocksDB's, LevelDB's. */
  private static final List<String> TABLES = List.of(".sst", ".ldb");

  private DiskSpace() {}

  /** Bytes of all files below a directory. Files that vanish meanwhile may count or not. */
  public static long bytes(Path directory) {
    return fileSizes(directory).stream().mapToLong(Long::longValue).sum();
  }

  /** Bytes of each file below a directory, ascending. */
  public static List<Long> fileSizes(Path directory) {
    List<Long> sizes = new ArrayList<>();
    forEachFile(directory, (file, bytes) -> sizes.add(bytes));
    Collections.sort(sizes);
    return sizes;
  }

  /**
   * Bytes of each table of an LSM store, ascending: without logs, manifests and locks, which are
   * files of other sizes. Bytes of every file if the store has no tables.
   */
  public static List<Long> tableSizes(Path directory) {
    List<Long> sizes = new ArrayList<>();
    forEachFile(
        directory,
        (file, bytes) -> {
          String name = String.valueOf(file.getFileName());
          if (TABLES.stream().anyMatch(name::endsWith)) {
            sizes.add(bytes);
          }
        });
    Collections.sort(sizes);
    return sizes.isEmpty() ? fileSizes(directory) : sizes;
  }

  /**
   * Bytes of the files below a directory by extension, which is the part of the name after the
   * first dot, or empty.
   */
  public static Map<String, Long> bytesByExtension(Path directory) {
    Map<String, Long> bytesByExtension = new TreeMap<>();
    forEachFile(
        directory,
        (file, bytes) -> {
          String name = String.valueOf(file.getFileName());
          int dot = name.indexOf('.');
          bytesByExtension.merge(dot < 0 ? "" : name.substring(dot + 1), bytes, Long::sum);
        });
    return bytesByExtension;
  }

  private static void forEachFile(Path directory, ObjLongConsumer<Path> visitor) {
    visit(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            visitor.accept(file, attributes.size());
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return ignoreVanished(failure);
          }
        });
  }

  /** Deletes everything below a directory, and the directory. */
  public static void delete(Path directory) {
    visit(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return ignoreVanished(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static FileVisitResult ignoreVanished(IOException failure) throws IOException {
    if (failure instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }

  private static void visit(Path directory, SimpleFileVisitor<Path> visitor) {
    try {
      Files.walkFileTree(directory, visitor);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
