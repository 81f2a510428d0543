package io.sifr.internal.state;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalWriter;
import java.nio.file.Path;

/** The files of the log in a store's directory. */
public final class LogFiles {
  private LogFiles() {}

  /**
   * Deletes all log segments, including unfinished ones, except those of a log that was closed in
   * order. Called only when the manifest says that no others are needed.
   */
  public static void deleteUnneeded(StoreFileSystem fileSystem, Path directory, Catalog catalog) {
    ForestEdit.LogClosed closed = catalog.logClosed();
    for (String name : fileSystem.list(directory)) {
      Long number = FileKind.WAL.numberOf(name).orElse(null);
      boolean isNeeded =
          number != null
              && closed != null
              && number >= catalog.firstSegment()
              && number <= closed.lastSegment();
      if (!isNeeded && (number != null || WalWriter.isUnfinishedSegment(name))) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }
}
