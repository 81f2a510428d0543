package io.sifr.internal.engine.write;

import io.sifr.config.Durability;
import io.sifr.config.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes that are made at once and become durable later. Each is made as a {@link
 * Durability#BUFFERED} one, and has a future that is completed when the log is durable up to it.
 * One thread syncs the log for all of a store that wait; those that come meanwhile form the next
 * group. It is there while there is something to sync.
 *
 * <p>That thread completes the futures of a group in the order of the writes, and runs what users
 * have attached to them. That may take long, or close the store: so the store, when it is closed,
 * does not wait for it, but completes the rest itself.
 *
 * <p>Thread-safe.
 */
public final class AsyncWrites implements AutoCloseable {
  private final WritePath writes;
  private final Executor threads;

  // All below guarded by this.

  /** Those whose sync has not begun. */
  private List<Pending> waiting = new ArrayList<>();

  /** Those whose sync was begun last. */
  private List<Pending> begun = List.of();

  /** Whether there is a thread that will come to those that wait. */
  private boolean isRunning;

  /** Syncs that run, but not for the one that closes this. */
  private int syncs;

  private boolean closed;

  /** A write that has been made. */
  private static final class Pending extends CompletableFuture<Void> {
    /** Up to which the log has to be durable. */
    private final long sequence;

    Pending(long sequence) {
      this.sequence = sequence;
    }
  }

  /**
   * @param threads runs what syncs the log, on a thread that nothing of the store waits for
   */
  public AsyncWrites(WritePath writes, Executor threads) {
    this.writes = writes;
    this.threads = threads;
  }

  /**
   * Makes a write, and returns when it is visible.
   *
   * @param write makes it with the options that it is given
   * @return completed when it is as durable as it shall be; exceptionally if it was not made, or if
   *     the log could not be synced
   * @throws IllegalArgumentException if the write throws that
   */
  public CompletableFuture<Void> write(WriteOptions options, Consumer<WriteOptions> write) {
    boolean isSynced = writes.durability(options) == Durability.SYNC;
    try {
      write.accept(isSynced ? buffered(options) : options);
      return isSynced ? whenDurable() : CompletableFuture.completedFuture(null);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static WriteOptions buffered(WriteOptions options) {
    return options == WriteOptions.SYNC || options == WriteOptions.DEFAULT
        ? WriteOptions.BUFFERED
        : options.toBuilder().durability(Durability.BUFFERED).build();
  }

  /** Completed when all that is in the log now is durable. */
  private CompletableFuture<Void> whenDurable() {
    Pending pending = new Pending(writes.logged());
    if (!isAdded(pending)) {
      settle(List.of(pending)); // the store was closed after the write, and has synced the log
    } else if (needsThread()) {
      try {
        threads.execute(this::run);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        run(); // without a thread, as a write that waits
      }
    }
    return pending;
  }

  private synchronized boolean isAdded(Pending pending) {
    if (!closed) {
      waiting.add(pending);
    }
    return !closed;
  }

  private synchronized boolean needsThread() {
    boolean isFirst = !isRunning;
    isRunning = true;
    return isFirst;
  }

  private void run() {
    for (List<Pending> group = begin(); !group.isEmpty(); group = begin()) {
      Throwable failure;
      try {
        failure = sync(group);
      } finally {
        ended();
      }
      complete(group, failure);
    }
  }

  private synchronized List<Pending> begin() {
    begun = waiting;
    waiting = new ArrayList<>();
    isRunning = !begun.isEmpty();
    syncs += isRunning ? 1 : 0;
    return begun;
  }

  private synchronized void ended() {
    syncs--;
    notifyAll();
  }

  /** Returns why not all of a group is durable; null if it is. */
  private @Nullable Throwable sync(List<Pending> group) {
    long last = 0; // threads may add them in another order than that of their writes
    for (Pending pending : group) {
      last = Math.max(last, pending.sequence);
    }
    try {
      writes.awaitDurable(last);
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  private void complete(List<Pending> group, @Nullable Throwable failure) {
    for (Pending pending : group) {
      if (failure == null || writes.isDurable(pending.sequence)) {
        pending.complete(null);
      } else {
        pending.completeExceptionally(failure);
      }
    }
  }

  private void settle(List<Pending> group) {
    complete(group, sync(group));
  }

  /**
   * Completes all futures: before the log is closed, and when no write can begin any more. No sync
   * runs afterwards.
   */
  @Override
  public void close() {
    settle(left());
    awaitSyncs();
  }

  private synchronized List<Pending> left() {
    closed = true;
    List<Pending> left = new ArrayList<>(begun); // not all of these may be completed
    left.addAll(waiting);
    waiting = new ArrayList<>();
    return left;
  }

  private synchronized void awaitSyncs() {
    boolean isInterrupted = false;
    while (syncs > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
