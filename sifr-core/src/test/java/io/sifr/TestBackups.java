package io.sifr;

import io.sifr.internal.backup.Backup;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/** Backups on file systems of the tests' own. */
public final class TestBackups {
  private TestBackups() {}

  /** Backups whose every access to the disk goes through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Backups in(Path directory, StoreFileSystem fileSystem) {
    return Backups.in(directory, fileSystem);
  }

  /**
   * Backups in a storage, with times of the test's own.
   *
   * @param renewAfter after how long a claim is put again
   * @param deadAfter how old a dead one is
   * @param clock tells the time
   */
  public static Backups in(
      BackupStorage storage, Duration renewAfter, Duration deadAfter, InstantSource clock) {
    return Backups.in(Backup.in(storage, renewAfter, deadAfter, clock, () -> 0));
  }
}
