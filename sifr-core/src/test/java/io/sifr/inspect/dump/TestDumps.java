package io.sifr.inspect.dump;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.testing.DrawnStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Shows files whose blocks are encoded by the tests' codecs. */
public final class TestDumps {
  private TestDumps() {}

  /** The pieces of a file. */
  public static List<DumpedRecord> dump(Path file) {
    return dump(DrawnStore.FILES, file);
  }

  /** Those of a file in a file system of the test's own. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static List<DumpedRecord> dump(StoreFileSystem fileSystem, Path file) {
    List<DumpedRecord> pieces = new ArrayList<>();
    OfflineStore store = DrawnStore.offline(fileSystem, file.resolveSibling(""));
    FileDump.dump(store, file, pieces::add);
    return pieces;
  }
}
