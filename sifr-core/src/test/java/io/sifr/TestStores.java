package io.sifr;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/** Opens stores on file systems of the tests' own. */
public final class TestStores {
  private TestStores() {}

  /** Opens a store whose every access to the disk goes through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(Path directory, StoreOptions options, StoreFileSystem fileSystem) {
    return open(directory, options, fileSystem, StoreListener.NONE);
  }

  /** As above, with a listener. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory, StoreOptions options, StoreFileSystem fileSystem, StoreListener listener) {
    return open(directory, options, fileSystem, listener, Policies.of(options));
  }

  /** As above, with a compaction policy of the test's own. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory,
      StoreOptions options,
      StoreFileSystem fileSystem,
      StoreListener listener,
      CompactionPolicy policy) {
    return Store.builder(directory)
        .options(options)
        .fileSystem(fileSystem)
        .listener(listener)
        .compactionPolicy(policy)
        .open();
  }
}
