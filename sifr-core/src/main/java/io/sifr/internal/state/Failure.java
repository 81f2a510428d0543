package io.sifr.internal.state;

import io.sifr.error.StoreFailedException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The first failure after which the store must not write any more, because the state of the disk is
 * unknown (I7). Kept until the store is opened again. Thread-safe.
 */
public final class Failure {
  private final Path directory;
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  public Failure(Path directory) {
    this.directory = directory;
  }

  /**
   * Notes a failure; only the first counts. Returns whether this is the first, even if it was noted
   * before.
   */
  public boolean note(Throwable cause) {
    return first.compareAndSet(null, cause) || cause.equals(first.get());
  }

  public boolean isNoted() {
    return first.get() != null;
  }

  /**
   * Throws if there was a failure.
   *
   * @throws StoreFailedException when there was one
   */
  public void check() {
    Throwable cause = first.get();
    if (cause != null) {
      throw new StoreFailedException(directory, cause);
    }
  }
}
