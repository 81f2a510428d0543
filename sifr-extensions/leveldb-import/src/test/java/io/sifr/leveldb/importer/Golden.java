package io.sifr.leveldb.importer;

import io.sifr.Store;
import io.sifr.importer.KeyValue;
import io.sifr.importer.KeyValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Directories that other programs have written, kept with the tests. */
final class Golden {
  private static final Path ALL = Path.of("src", "test", "resources", "golden");
  private static final HexFormat HEX = HexFormat.of();

  private Golden() {}

  /** The names of all of them. */
  static Stream<String> names() {
    try (Stream<Path> all = Files.list(ALL)) {
      return all
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The entries of each, as lines of key and value. */
  static List<String> expected() throws IOException {
    return Files.readAllLines(ALL.resolve("expected"));
  }

  /** Copies one. */
  static Path copy(String name, Path target) throws IOException {
    return copy(ALL.resolve(name), target);
  }

  /** Copies the files of a directory. */
  static Path copy(Path source, Path target) throws IOException {
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    return target;
  }

  /** Reads a directory without making a store, as such lines. */
  static List<String> read(Path source, SourceOptions options, Path scratch) throws IOException {
    List<String> lines = new ArrayList<>();
    try (LevelDbSource opened = LevelDbSource.open(source, Store.DEFAULT_DATABASE, options);
        KeyValues entries = opened.entries(scratch)) {
      for (KeyValue entry = entries.next(); entry != null; entry = entries.next()) {
        lines.add(HEX.formatHex(entry.key()) + " " + HEX.formatHex(entry.value()));
      }
    }
    return lines;
  }

  /** The file of a directory whose name ends so. */
  static Path file(Path directory, String ending) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(ending)).findFirst().orElseThrow();
    }
  }
}
