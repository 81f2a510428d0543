package io.sifr.inspect.check;

import io.sifr.inspect.CheckProgress;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.IndexExtractor;
import io.sifr.testing.DrawnStore;
import java.nio.file.Path;
import java.util.List;

/** Checks stores on file systems of the tests' own. */
public final class TestChecks {
  private TestChecks() {}

  /** Reads all files of a store that is not open, through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static CheckReport run(StoreFileSystem fileSystem, Path directory) {
    return StoreCheck.run(DrawnStore.offline(fileSystem, directory), CheckProgress.NONE);
  }

  /** As above, and compares indexes. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static CheckReport run(
      StoreFileSystem fileSystem, Path directory, List<IndexExtractor> extractors) {
    return StoreCheck.run(
        DrawnStore.offline(fileSystem, directory), extractors, CheckProgress.NONE);
  }

  /** Checks a store that is open, as it is at one moment, through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static StoreCheck.OfMoment runReadOnly(StoreFileSystem fileSystem, Path directory) {
    return StoreCheck.runReadOnly(
        DrawnStore.offline(fileSystem, directory), List.of(), CheckProgress.NONE);
  }
}
