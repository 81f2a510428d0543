package io.sifr.bench.driver;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.store.Labels;
import io.sifr.bench.store.Terms;
import io.sifr.config.Compression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stores filled by random fills, kept so that later runs copy them instead of filling again. A kept
 * store gets its name when it is complete, so that processes may share the directory.
 */
final class KeptFills {
  private final Path directory;

  KeptFills(Path directory) {
    this.directory = directory;
  }

  /**
   * Everything that determines the files of a fill; settings that only affect reads are left out.
   */
  private static String name(RunSpec spec) {
    Terms terms = spec.terms();
    return String.join(
        "-",
        spec.store().label(),
        inFileName(spec.shape().name()),
        Integer.toString(spec.entries()),
        "of",
        Integer.toString(spec.capacity()),
        "seed",
        Long.toString(spec.seed()),
        Labels.of(terms.durability()),
        "buffer",
        Long.toString(terms.writeBufferBytes()),
        terms.bloom() ? "bloom" : "plain",
        "growth",
        terms.growthFactor().isPresent()
            ? Integer.toString(terms.growthFactor().getAsInt())
            : "usual",
        terms.compression() == Compression.NONE ? "raw" : Labels.of(terms.compression()),
        terms.settings().entrySet().stream()
            .map(set -> "-" + set.getKey() + "-" + inFileName(set.getValue()))
            .collect(Collectors.joining()));
  }

  private static String inFileName(String text) {
    return text.replaceAll("[:/\\\\]", "_");
  }

  /**
   * Copies the fill of a run to a directory that does not exist yet.
   *
   * @return false when none is kept
   */
  boolean copyTo(RunSpec spec, Path target) {
    Path kept = directory.resolve(name(spec));
    if (!Files.isDirectory(kept)) {
      return false;
    }
    copy(kept, target);
    return true;
  }

  /** Keeps the filled store in a directory, which must be closed. */
  void keep(RunSpec spec, Path source) {
    Path kept = directory.resolve(name(spec));
    Path unfinished = directory.resolve("unfinished-" + ProcessHandle.current().pid());
    try {
      Files.createDirectories(directory);
      copy(source, unfinished);
      Files.move(unfinished, kept, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // Systems differ in how they refuse to replace a directory.
      if (!Files.isDirectory(kept)) {
        throw new UncheckedIOException(e);
      }
      // Another process was faster; its fill is as good.
    } finally {
      DiskSpace.delete(unfinished);
    }
  }

  private static void copy(Path source, Path target) {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = target.resolve(source.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
