package io.sifr;

import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/** Backups on file systems of the tests' own. */
public final class TestBackups {
  private TestBackups() {}

  /** Backups whose every access to the disk goes through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Backups in(Path directory, StoreFileSystem fileSystem) {
    return Backups.in(directory, fileSystem);
  }
}
