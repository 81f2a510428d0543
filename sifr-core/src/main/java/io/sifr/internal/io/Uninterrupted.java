package io.sifr.internal.io;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.internal.util.Failures;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs an operation that the platform aborts when its thread is interrupted, so that it finishes
 * all the same and the thread keeps its interrupt status. {@link java.nio.channels.FileChannel}
 * closes itself when its thread is interrupted. So the status is cleared before the operation and
 * restored afterwards, and an interrupt that arrives during the operation makes it run again.
 *
 * <p>Only for operations that open what they use and may be repeated. A sync may not: see {@link
 * #onOwnThread}.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  /** An operation on files. */
  @FunctionalInterface
  interface Operation<T> {
    T run() throws IOException;
  }

  /** Repeats the operation until no interrupt aborted it. */
  static <T> T call(Operation<T> operation) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return operation.run();
        } catch (ClosedByInterruptException e) {
          interrupted = true;
          Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Runs the operation once, on a private thread that no other code can interrupt. For a sync
   * through a channel: an interrupt would hide its outcome, and a second sync after a failed one
   * reports success for data that is lost.
   */
  static void onOwnThread(String threadName, Operation<?> operation) throws IOException {
    FutureTask<?> task = new FutureTask<>(operation::run);
    Thread thread = new Thread(task, threadName);
    thread.setDaemon(true);
    thread.start();
    try {
      Uninterruptibles.getUninterruptibly(task);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw Failures.unchecked(e.getCause());
    }
  }
}
