package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    run(List.of("dd", "if=" + file, "iflag=nocache", "count=0", "status=none"));
  }

  /**
   * Bytes that the system has in memory of the files of a directory with that ending; nobody may
   * delete one meanwhile. Java has no call for that, so {@code fincore} of util-linux counts.
   *
   * @throws UnsupportedOperationException when there is no such program here
   */
  public static long bytes(Path directory, String ending) {
    List<String> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.map(Path::toString).filter(path -> path.endsWith(ending)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (files.isEmpty()) {
      return 0;
    }
    List<String> command = new ArrayList<>(List.of("fincore", "-b", "-n", "-o", "RES"));
    command.addAll(files);
    return run(command).lines().map(String::strip).mapToLong(Long::parseLong).sum();
  }

  /** Returns what the program says. */
  private static String run(List<String> command) {
    String program = command.get(0);
    try {
      Process process = new ProcessBuilder(command).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new UnsupportedOperationException(program + " fails");
      }
      return said;
    } catch (IOException e) {
      throw new UnsupportedOperationException("there is no program " + program, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
