package io.sifr.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What has become of futures. */
public final class Futures {
  private static final long SECONDS = 60;

  private Futures() {}

  /** Waits for a future, and throws what it was completed with. */
  @CanIgnoreReturnValue
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw unchecked(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Throws what a future was completed with, if that has happened already. */
  public static <T> CompletableFuture<T> notFailed(CompletableFuture<T> future) {
    if (future.isCompletedExceptionally()) {
      await(future);
    }
    return future;
  }

  /** Runs something when a future is completed, whose failure nobody is told of. */
  public static void andThen(CompletableFuture<?> future, Runnable action) {
    var unused = future.thenRun(action);
  }

  private static RuntimeException unchecked(ExecutionException e) {
    if (e.getCause() instanceof Error error) {
      throw error;
    }
    return e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e);
  }
}
