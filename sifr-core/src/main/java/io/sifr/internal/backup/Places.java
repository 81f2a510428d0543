package io.sifr.internal.backup;

import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/** Checks that a directory is allowed for a copy. */
final class Places {
  private Places() {}

  /**
   * Checks that a directory, which need not exist, is not within another one.
   *
   * @param outer a real path
   * @throws IllegalArgumentException when it is
   */
  static void requireOutside(StoreFileSystem fileSystem, Path directory, Path outer) {
    Path path = directory.toAbsolutePath().normalize();
    Path existing = path;
    while (existing.getParent() != null && !fileSystem.exists(existing)) {
      existing = existing.getParent();
    }
    Path real = fileSystem.realPath(existing).resolve(existing.relativize(path));
    if (real.startsWith(outer)) {
      throw new IllegalArgumentException(
          directory + " is inside " + outer + "; it has to be another directory");
    }
  }
}
