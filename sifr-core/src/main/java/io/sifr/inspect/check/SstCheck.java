package io.sifr.inspect.check;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.SstMeta;
import io.sifr.internal.sst.SstReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Reads SSTs from their first byte to their last. */
final class SstCheck {
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final Findings findings;
  private final Set<Long> unusable = new HashSet<>();

  SstCheck(StoreFileSystem fileSystem, Path directory, Findings findings) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.findings = findings;
  }

  /** Checks an SST that a forest holds: it must be there, whole, and what the manifest says. */
  void held(Forest forest, SstMeta meta) {
    Path file = FileKind.SST.path(directory, meta.number());
    boolean sound =
        findings.examine(
            file,
            () -> {
              if (fileSystem.exists(file)) {
                verify(meta, forest.databaseId());
              } else {
                findings.add(file, 0, "missing; the forest of " + forest.name() + " holds it");
                unusable.add(meta.number());
              }
            });
    if (!sound) {
      unusable.add(meta.number());
    }
  }

  /** Checks an SST by itself. Returns how many entries it says it has. */
  long lone(long number) {
    long[] entries = new long[1];
    Path file = FileKind.SST.path(directory, number);
    findings.examine(
        file,
        () -> {
          SstMeta meta = SstReader.readMeta(fileSystem, file);
          entries[0] = meta.entries();
          verify(meta, 0);
        });
    return entries[0];
  }

  /**
   * @param database the database that holds it; 0 when that is not known
   */
  private void verify(SstMeta meta, int database) {
    try (SstReader reader = SstReader.open(fileSystem, directory, meta)) {
      reader.verify();
      if (database > 0 && reader.databaseId() != database) {
        findings.add(
            FileKind.SST.path(directory, meta.number()),
            reader.layout().propertiesOffset(),
            "written for database "
                + reader.databaseId()
                + ", and database "
                + database
                + " holds it");
      }
    }
  }

  /** Numbers of the SSTs that cannot be read to their end. */
  Set<Long> unusable() {
    return unusable;
  }
}
