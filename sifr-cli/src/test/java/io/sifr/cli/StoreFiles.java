package io.sifr.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The files of a store, to be looked at and damaged. */
final class StoreFiles {
  private StoreFiles() {}

  /** The files of a kind in a directory, the largest first: an SST that has several blocks. */
  static List<Path> largestFirst(Path directory, String extension) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(extension))
          .sorted(Comparator.comparingLong((Path file) -> file.toFile().length()).reversed())
          .toList();
    }
  }

  /** Changes one bit in the first half of a file. */
  static void damage(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 3] ^= 1;
    Files.write(file, bytes);
  }
}
