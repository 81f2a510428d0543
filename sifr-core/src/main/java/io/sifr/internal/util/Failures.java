package io.sifr.internal.util;

import com.google.common.base.Throwables;
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
}
