package io.sifr.internal.util;

import io.sifr.error.ReadOnlyStoreException;
import io.sifr.error.StoreFailedException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The first failure after which nothing more must be written, because the state of the disk is
 * unknown: the kernel may report success for pages it has dropped (I7). The store and its log have
 * one each, kept until the store is opened again. Thread-safe.
 */
public final class FirstFailure {
  private final Path directory;
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  /** None so far, in a store in that directory. */
  public FirstFailure(Path directory) {
    this.directory = directory;
  }

  /**
   * Notes a failure; only the first counts. Returns whether this is the first, even if it was noted
   * before.
   */
  public boolean note(Throwable cause) {
    return first.compareAndSet(null, cause) || cause.equals(first.get());
  }

  /** Notes a failure; returns the exception to throw, with the first failure as its cause. */
  public StoreFailedException poison(Throwable cause) {
    Throwable earlier = first.compareAndExchange(null, cause);
    return new StoreFailedException(directory, earlier == null ? cause : earlier);
  }

  /** Whether there was a failure. */
  public boolean isNoted() {
    return first.get() != null;
  }

  /**
   * Throws if there was a failure.
   *
   * @throws StoreFailedException with the first failure
   * @throws ReadOnlyStoreException when that is what it is
   */
  public void check() {
    Throwable cause = first.get();
    if (cause instanceof ReadOnlyStoreException) {
      throw new ReadOnlyStoreException(directory); // with the stack of this caller
    }
    if (cause != null) {
      throw new StoreFailedException(directory, cause);
    }
  }
}
