package io.sifr.testing;

import io.sifr.internal.format.FileKind;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What tests do to the files of a store behind its back. */
public final class Directories {
  private Directories() {}

  /**
   * Copies all files but the lock: what a killed process leaves, when the store is open. It should
   * be idle; then only SSTs that are needed no more can vanish meanwhile.
   */
  public static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : files(from)) {
      if (!file.endsWith("LOCK")) {
        try {
          Files.copy(file, to.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          // Deleted between listing and copying.
        }
      }
    }
    return to;
  }

  /** All files, by name. */
  public static List<Path> files(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(files::add);
    }
    files.sort(null);
    return files;
  }

  /** The files of a kind, by number. */
  public static List<Path> files(Path directory, FileKind kind) throws IOException {
    return files(directory).stream()
        .filter(file -> kind.numberOf(file.getFileName().toString()).isPresent())
        .toList();
  }

  /** Changes one byte, whatever it is, into another. */
  public static void flip(Path file, long offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) offset] ^= 0x41;
    Files.write(file, bytes);
  }

  /** Exchanges two files. */
  public static void exchange(Path a, Path b) throws IOException {
    byte[] bytes = Files.readAllBytes(a);
    Files.write(a, Files.readAllBytes(b));
    Files.write(b, bytes);
  }
}
