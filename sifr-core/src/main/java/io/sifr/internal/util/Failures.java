package io.sifr.internal.util;

import org.jspecify.annotations.Nullable;

/**
 * Lets several steps run although one of them fails. The first failure is the one that counts;
 * later ones are added to it. For one thread.
 */
public final class Failures {
  private @Nullable Throwable first;

  /**
   * A failure of another thread, to be thrown by this one; wrapped when it is a checked exception,
   * which it should not be. An error is thrown at once.
   */
  public static RuntimeException unchecked(@Nullable Throwable failure) {
    if (failure instanceof Error e) {
      throw e;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  /** Runs a step, and keeps what it throws. */
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
    if (first instanceof RuntimeException e) {
      throw e;
    } else if (first instanceof Error e) {
      throw e;
    }
  }
}
