package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/**
 * The location and configuration of a store.
 *
 * @param fileSystem the file system of the store
 * @param directory the store's directory, as a real path
 * @param options the user's settings
 * @param extensions its exchangeable parts
 * @param listener the user's listener, wrapped so that it throws nothing
 */
public record Setup(
    StoreFileSystem fileSystem,
    Path directory,
    StoreOptions options,
    Extensions extensions,
    StoreListener listener) {
  /** What is chosen for the user. */
  public Tuning tuning() {
    return extensions.tuning();
  }

  /** The time by the store's clock, in milliseconds since the epoch. */
  public long now() {
    return extensions.clock().millis();
  }

  /**
   * How large SSTs are that are written.
   *
   * @param storeBytes bytes of all SSTs of the store
   */
  public SstSizes sstSizes(long storeBytes) {
    return SstSizes.of(options, tuning().sstsBeforeGrowth(), storeBytes);
  }
}
