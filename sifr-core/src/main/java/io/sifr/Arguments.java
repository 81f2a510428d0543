package io.sifr;

import io.sifr.config.WriteOptions;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks arguments of public methods, whose callers may ignore nullness annotations. */
final class Arguments {
  private Arguments() {}

  static <T> T notNull(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is null");
    }
    return value;
  }

  /** A path of the platform's file system. */
  static Path path(String name, @Nullable Path path) {
    return DiskFileSystem.requireOwn(name, notNull(name, path));
  }

  /** Files of the platform's file system. */
  static List<Path> paths(@Nullable List<Path> files) {
    return notNull("files", files).stream().map(file -> path("file", file)).toList();
  }

  /** Options of a write that is no put, and so cannot expire. */
  static WriteOptions withoutExpiry(@Nullable WriteOptions options) {
    WriteOptions given = notNull("options", options);
    if (given.expireAfter() != null) {
      throw new IllegalArgumentException(
          "expireAfter is " + given.expireAfter() + "; allowed: only for puts, one by one");
    }
    return given;
  }
}
