package io.sifr.importer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The names, sizes and times of a source's files, which show whether it was written to. */
public record SourceState(Map<String, FileState> files) {
  /**
   * A file.
   *
   * @param bytes its size
   * @param modified when it was written to
   */
  public record FileState(long bytes, FileTime modified) {}

  /** The state of a directory, without those in it, or of a file. */
  public static SourceState of(Path source) throws IOException {
    Map<String, FileState> files = new TreeMap<>();
    if (!Files.isDirectory(source)) {
      add(source, files);
    } else {
      try (Stream<Path> all = Files.list(source)) {
        for (Path file : all.toList()) {
          add(file, files);
        }
      }
    }
    return new SourceState(files);
  }

  private static void add(Path file, Map<String, FileState> files) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (attributes.isRegularFile()) {
      files.put(
          file.getFileName().toString(),
          new FileState(attributes.size(), attributes.lastModifiedTime()));
    }
  }

  /** Checks that it is as it was. */
  public void requireUnchanged(SourceState now) throws SourceException {
    for (String name : files.keySet()) {
      if (!files.get(name).equals(now.files.get(name))) {
        throw changed(name);
      }
    }
    for (String name : now.files.keySet()) {
      if (!files.containsKey(name)) {
        throw changed(name);
      }
    }
  }

  /** Says that a file was changed. */
  public static SourceException changed(String name) {
    return new SourceException("it was changed while it was read: " + name + "; is it open?");
  }
}
