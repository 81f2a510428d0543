package io.sifr.internal.wal;

import io.sifr.error.StoreFailedException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Records whether the log is poisoned. After a failed store or sync the content of the file is
 * unknown, and the kernel may report success for pages it has dropped; so the first failure ends
 * all writing for good (I7).
 */
final class LogFailure {
  private final Path directory;
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  LogFailure(Path directory) {
    this.directory = directory;
  }

  boolean happened() {
    return first.get() != null;
  }

  /**
   * Throws when the log is poisoned.
   *
   * @throws StoreFailedException with the first failure
   */
  void check() {
    Throwable cause = first.get();
    if (cause != null) {
      throw new StoreFailedException(directory, cause);
    }
  }

  /**
   * Poisons the log, unless an earlier failure has done so; returns the exception to throw, with
   * the first failure as its cause.
   */
  StoreFailedException poison(Throwable failure) {
    Throwable earlier = first.compareAndExchange(null, failure);
    return new StoreFailedException(directory, earlier == null ? failure : earlier);
  }
}
