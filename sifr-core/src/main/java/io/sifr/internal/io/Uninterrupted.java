package io.sifr.internal.io;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

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
    Outcome outcome = new Outcome(operation);
    Thread thread = new Thread(outcome, threadName);
    thread.setDaemon(true);
    thread.start();
    joinUninterruptibly(thread);
    outcome.rethrow();
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Holds what the operation threw, for the waiting thread. */
  private static final class Outcome implements Runnable {
    private final Operation<?> operation;
    // Written before the thread ends, read after it was joined.
    private @Nullable Throwable thrown;

    Outcome(Operation<?> operation) {
      this.operation = operation;
    }

    @Override
    public void run() {
      try {
        operation.run();
      } catch (IOException | RuntimeException | Error e) {
        thrown = e;
      }
    }

    void rethrow() throws IOException {
      if (thrown instanceof IOException e) {
        throw e;
      } else if (thrown instanceof RuntimeException e) {
        throw e;
      } else if (thrown instanceof Error e) {
        throw e;
      }
    }
  }
}
