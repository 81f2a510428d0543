package io.sifr;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.WriteOptions;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.time.Duration;
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

  /** A time after which a value expires; null: never. */
  static @Nullable Duration checkedExpiry(@Nullable Duration time) {
    return time == null ? null : WriteOptions.expiringAfter(time).expireAfter();
  }

  /**
   * Checks a part of a value that is to be copied.
   *
   * @param room bytes that the target has room for
   */
  static void checkPart(int from, int length, int room) {
    checkArgument(from >= 0, "a part from byte %s on; allowed: from 0", from);
    checkArgument(
        length >= 0 && length <= room,
        "%s bytes for a target with room for %s; allowed: 0 to that",
        length,
        room);
  }
}
