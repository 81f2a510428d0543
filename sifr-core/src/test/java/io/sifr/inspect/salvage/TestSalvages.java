package io.sifr.inspect.salvage;

import io.sifr.inspect.CheckProgress;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.DrawnStore;
import java.nio.file.Path;

/** Salvages stores on file systems of the tests' own. */
public final class TestSalvages {
  private TestSalvages() {}

  /** Rescues a store, whose blocks may be encoded by the tests' codecs. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static SalvageReport run(StoreFileSystem fileSystem, Path source, Path target) {
    return Salvage.run(DrawnStore.offline(fileSystem, source), target, CheckProgress.NONE);
  }
}
