package io.sifr.internal.util;

import com.google.common.base.Throwables;
import io.sifr.error.ReadOnlyStoreException;
import io.sifr.error.StoreFailedException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs several steps even if some of them fail. The first failure is thrown at the end, with the
 * later ones as suppressed exceptions. For one thread.
 */
public final class Failures {
  private @Nullable Throwable first;

  /**
   * Converts a failure of another thread to an exception this thread can throw; a checked
   * exception, which is not expected, is wrapped. An {@link Error} is thrown at once.
   */
  public static RuntimeException unchecked(@Nullable Throwable failure) {
    if (failure instanceof Error e) {
      throw e;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  /** Runs a step and records what it throws. */
  public void collect(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      if (first == null) {
        first = e;
      } else if (e != first) {
        first.addSuppressed(e);
      }
    }
  }

  /** Whether no step has failed. */
  public boolean isEmpty() {
    return first == null;
  }

  /** Throws the first failure, if there was one. */
  public void throwFirst() {
    if (first != null) {
      Throwables.throwIfUnchecked(first);
    }
  }

  /**
   * The first failure after which nothing more must be written, because the state of the disk is
   * unknown: the kernel may report success for pages it has dropped (I7). The store and its log
   * have one each, kept until the store is opened again. Thread-safe.
   */
  public static final class FirstFailure {
    private final Path directory;
    private final @Nullable Runnable whenPoisoned;
    private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

    /** None so far, in a store in that directory. */
    public FirstFailure(Path directory) {
      this(directory, null);
    }

    /**
     * None so far, in a store in that directory.
     *
     * @param whenPoisoned called when the first one {@link #poison poisons} something, by whoever
     *     meets it, perhaps under locks; null: nothing is
     */
    public FirstFailure(Path directory, @Nullable Runnable whenPoisoned) {
      this.directory = directory;
      this.whenPoisoned = whenPoisoned;
    }

    /**
     * Notes a failure; only the first counts. Returns whether this is the first, even if it was
     * noted before.
     */
    public boolean note(Throwable cause) {
      return first.compareAndSet(null, cause) || cause.equals(first.get());
    }

    /** Notes a failure; returns the exception to throw, with the first failure as its cause. */
    public StoreFailedException poison(Throwable cause) {
      Throwable earlier = first.compareAndExchange(null, cause);
      if (earlier == null && whenPoisoned != null) {
        whenPoisoned.run();
      }
      return new StoreFailedException(directory, earlier == null ? cause : earlier);
    }

    /** The first failure; null if there was none. */
    public @Nullable Throwable first() {
      return first.get();
    }

    /** Whether there was a failure. */
    public boolean isNoted() {
      return first.get() != null;
    }

    /** Whether there is none, but nothing may be written, as what is opened is read only. */
    public boolean isReadOnly() {
      return first.get() instanceof ReadOnlyStoreException;
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
}
