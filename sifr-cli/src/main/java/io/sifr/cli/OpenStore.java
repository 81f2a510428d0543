package io.sifr.cli;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.StoreLockedException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
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
          Store.builder(directory)
              .options(options)
              .encryption(context.keys())
              .allowUnregistered()
              .open(),
          context.cleanup());
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  /**
   * Opens a store that must exist for a command that only reads: if it is open elsewhere, its
   * directory cannot be written to, its disk is full, or it has another directory that is not
   * given, to be read only, which standard error is told.
   */
  static OpenStore openToRead(CliContext context, Path directory, SettingsMixin settings) {
    StoreOptions options = settings.options(StoreOptions.builder());
    if (leaves(directory, "FAST", options.fastDirectory().isPresent())
        || leaves(directory, "COLD", options.coldDirectory().isPresent())) {
      return readOnly(context, directory, settings, "has files in another directory");
    }
    try {
      return openExisting(context, directory, settings);
    } catch (StoreLockedException e) {
      return readOnly(context, directory, settings, "is in use by " + holder(e));
    } catch (StoreFullException e) {
      return full(context, directory, settings);
    } catch (StoreFailedException e) {
      if (e.getCause() instanceof StoreFullException) { // where overwriting needs space, too
        return full(context, directory, settings);
      }
      throw e;
    } catch (StoreIoException e) {
      if (Files.isWritable(directory) && !(e.getCause() instanceof AccessDeniedException)) {
        throw e;
      }
      return readOnly(context, directory, settings, "cannot be written to");
    }
  }

  /** Whether a writer with those settings would move the files out of a directory that it has. */
  private static boolean leaves(Path directory, String mark, boolean isGiven) {
    return !isGiven && Files.exists(directory.resolve(mark));
  }

  /** As above, with the settings of the store as they are by default. */
  static OpenStore openToRead(CliContext context, Path directory) {
    return openToRead(context, directory, new SettingsMixin());
  }

  /** Names whoever has a store open. */
  static String holder(StoreLockedException e) {
    return e.holderProcessId() < 0 ? "another process" : "process " + e.holderProcessId();
  }

  private static OpenStore full(CliContext context, Path directory, SettingsMixin settings) {
    return readOnly(context, directory, settings, "has no space left on its disk");
  }

  private static OpenStore readOnly(
      CliContext context, Path directory, SettingsMixin settings, String reason) {
    Store.Builder store =
        Store.builder(directory)
            .options(settings.options(StoreOptions.builder()))
            .encryption(context.keys())
            .allowUnregistered();
    OpenStore opened;
    try {
      opened = new OpenStore(store.openReadOnly(), context.cleanup());
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
    context.console().err().println(directory + " " + reason + ", so it is read as it is now");
    return opened;
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

  /** The same store as it is now, of one that is read only. Both are to be closed. */
  OpenStore refreshed() {
    return new OpenStore(store.refreshed(), cleanup);
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
