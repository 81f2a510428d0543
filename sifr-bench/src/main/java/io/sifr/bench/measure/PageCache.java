package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The memory in which the system keeps what was read from files. */
public final class PageCache {
  private PageCache() {}

  /**
   * Has the system forget what it has in memory of the files of a directory with that ending, which
   * nobody has mapped. Java has no call for that, so GNU's {@code dd} does it.
   *
   * @throws UnsupportedOperationException when there is no such program here
   */
  public static void forget(Path directory, String ending) {
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.filter(path -> path.toString().endsWith(ending)).sorted().toList()) {
        forget(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void forget(Path file) {
    int exit;
    try {
      exit =
          new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
              .start()
              .waitFor();
    } catch (IOException e) {
      throw new UnsupportedOperationException("there is no program dd", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    if (exit != 0) {
      throw new UnsupportedOperationException("dd cannot have the system forget a file");
    }
  }
}
