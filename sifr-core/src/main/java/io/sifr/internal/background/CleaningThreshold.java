package io.sifr.internal.background;

import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * How many SSTs a merge may write before it commits them and deletes the inputs they replace (early
 * cleaning, TPDS §4.3). Each commit syncs the manifest, so the number is as large as the options
 * allow, as long as there is space: all merges together leave what they have not committed at most
 * a quarter of what is free, and in the end commit every single SST.
 *
 * <p>Thread-safe.
 */
public final class CleaningThreshold {
  private static final int SHARE_OF_FREE_SPACE = 4;

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final StoreOptions options;
  private final IntSupplier runningMerges;

  public CleaningThreshold(
      StoreFileSystem fileSystem, Path directory, StoreOptions options, IntSupplier runningMerges) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.options = options;
    this.runningMerges = runningMerges;
  }

  /** Whether merges commit before they end. */
  boolean isEnabled() {
    return options.earlyCleaning();
  }

  /** The threshold at this moment, in SSTs; at least 1. */
  public int current() {
    if (!isEnabled()) {
      return Integer.MAX_VALUE;
    }
    long allowed;
    try {
      long free = fileSystem.usableBytes(directory) / SHARE_OF_FREE_SPACE;
      allowed = free / Math.max(1, runningMerges.getAsInt()) / options.splitUnitBytes();
    } catch (SifrException e) {
      // Nobody knows how much there is: better to sync too often than to run out of it.
      allowed = 1;
    }
    return (int) Math.max(1, Math.min(options.cleaningThreshold(), allowed));
  }
}
