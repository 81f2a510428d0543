package io.sifr.internal.readonly;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.resources.SharedResources;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.volume.StoreVolumes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An engine over the files of a store as they were at one {@link Moment}. Thread-safe. */
public final class ReadOnlyEngine implements AutoCloseable {
  private final StoreFileSystem disk;
  private final How how;
  private final Moment moment;
  private final StoreEngine engine;
  private final ChangeLog changes;

  /**
   * The options with which it is opened.
   *
   * @param shared what it shares with other stores; null: nothing
   */
  public record How(
      Extensions extensions,
      StoreOptions options,
      StoreListener listener,
      @Nullable SharedResources shared) {}

  /** Takes the moment over. */
  private ReadOnlyEngine(StoreFileSystem disk, How how, Path directory, Moment moment) {
    this.disk = disk;
    this.how = how;
    this.moment = moment;
    try {
      this.engine =
          Opening.openReadOnly(
              how.extensions(),
              moment.files(),
              directory,
              how.options(),
              how.listener(),
              how.shared());
    } catch (RuntimeException | Error e) {
      moment.close();
      throw e;
    }
    this.changes = moment.changes(engine.changes());
  }

  /**
   * Opens the store in a directory as it is now.
   *
   * @param disk the file system, in which nothing is written
   * @throws IllegalArgumentException when there is none
   * @throws io.sifr.error.SideDirectoryException when its fast directory is missing
   */
  public static ReadOnlyEngine open(StoreFileSystem disk, Path directory, How how) {
    if (!disk.isDirectory(directory) || !Manifest.exists(disk, directory)) {
      throw new IllegalArgumentException(directory + " holds no store");
    }
    Path real = disk.realPath(directory);
    return new ReadOnlyEngine(disk, how, real, Moment.now(StoreVolumes.ofReader(disk, real), real));
  }

  /** Opens the store as it is now, with the files that are mapped here as far as it needs them. */
  public ReadOnlyEngine refreshed() {
    Path directory = engine.directory();
    StoreFileSystem files = StoreVolumes.ofReader(disk, directory);
    return new ReadOnlyEngine(disk, how, directory, moment.later(files));
  }

  public StoreEngine engine() {
    return engine;
  }

  /** The log of its changes, with what its writer retains. */
  public ChangeLog changes() {
    return changes;
  }

  @Override
  public void close() {
    try {
      engine.close();
    } finally {
      moment.close();
    }
  }
}
