package io.sifr.leveldb.importer;

import io.sifr.leveldb.importer.source.SourceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What tells whether somebody has written to a directory: names, sizes and times of its files, and
 * what CURRENT says.
 */
record SourceState(Map<String, FileState> files, String current) {
  private record FileState(long bytes, FileTime modified) {}

  /** The state of a directory that has the file CURRENT. */
  static SourceState of(Path directory) throws IOException {
    Map<String, FileState> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (attributes.isRegularFile()) {
          files.put(
              file.getFileName().toString(),
              new FileState(attributes.size(), attributes.lastModifiedTime()));
        }
      }
    }
    return new SourceState(files, CurrentFile.read(directory));
  }

  /** Checks that it is as it was. */
  void requireUnchanged(SourceState now) throws SourceException {
    if (!current.equals(now.current)) {
      throw changed("CURRENT");
    }
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

  private static SourceException changed(String name) {
    return new SourceException("it was changed while it was read: " + name + "; is it open?");
  }
}
