package io.sifr.cli;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;

/** A store that is closed when its command ends, however it ends. */
final class OpenStore implements AutoCloseable {
  private final Store store;
  private final Cleanup cleanup;
  private final Runnable closing;

  private OpenStore(Store store, Cleanup cleanup) {
    this.store = store;
    this.cleanup = cleanup;
    this.closing = store::close;
    cleanup.add(closing);
  }

  /** Opens a store, whatever merge operators its program has. */
  static OpenStore open(CliContext context, Path directory, StoreOptions options) {
    try {
      return new OpenStore(
          Store.builder(directory).options(options).allowMissingMergeOperators().open(),
          context.cleanup());
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  /** Opens a store that must exist. */
  static OpenStore openExisting(CliContext context, Path directory) {
    return openExisting(context, directory, new SettingsMixin());
  }

  /** Opens a store that has to be there, unless the settings say otherwise. */
  static OpenStore openExisting(CliContext context, Path directory, SettingsMixin settings) {
    return open(
        context, directory, settings.options(StoreOptions.builder().createIfMissing(false)));
  }

  Store store() {
    return store;
  }

  Database database(String name) {
    try {
      return store.database(name);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  @Override
  public void close() {
    cleanup.remove(closing);
    closing.run();
  }
}
