package io.sifr.web;

import io.sifr.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Views of a store that is open elsewhere: one is opened when somebody looks, replaced by one of
 * the present when it is a second old and somebody looks again, and closed when nobody has for a
 * while. A view is closed when the last request that uses it has ended: until then files that the
 * writer has replaced keep their space.
 */
final class RefreshedViews implements Views {
  private static final Duration LEAST_AGE = Duration.ofSeconds(1);
  private static final Duration MOST_IDLE = Duration.ofSeconds(30);

  /** Of the time at most one part in so many goes into opening views. */
  private static final int SHARE = 10;

  private final Duration leastAge;
  private final Duration mostIdle;

  /** Guarded by the lock of opening. */
  private final Store.Builder builder;

  /** Held by the one thread that opens a view. Taken before the monitor. */
  private final ReentrantLock opening = new ReentrantLock();

  // Guarded by this.
  private @Nullable Opened current;
  private long numbers;
  private long dueNanos;
  private long lastUseNanos;
  private @Nullable String problem;
  private boolean isClosed;
  private boolean isWatched;

  RefreshedViews(Store.Builder builder) {
    this(builder, LEAST_AGE, MOST_IDLE);
  }

  /** With other times, for tests. */
  RefreshedViews(Store.Builder builder, Duration leastAge, Duration mostIdle) {
    this.builder = builder;
    this.leastAge = leastAge;
    this.mostIdle = mostIdle;
  }

  /** A view, and how many requests use it. */
  private final class Opened {
    private final Store store;
    private final long number;
    private final Instant since;
    private int users;
    private boolean isReplaced;

    Opened(Store store, long number, Instant since) {
      this.store = store;
      this.number = number;
      this.since = since;
    }

    /** With the monitor of the views held. */
    View used() {
      users++;
      return new View(store, number, since, problem, this::release);
    }

    private void release() {
      boolean isLast;
      synchronized (RefreshedViews.this) {
        users--;
        lastUseNanos = System.nanoTime();
        isLast = isReplaced && users == 0;
        watch();
      }
      if (isLast) {
        store.close();
      }
    }

    /** With the monitor held; returns what is to be closed without it. */
    @Nullable Store replaced() {
      isReplaced = true;
      return users == 0 ? store : null;
    }
  }

  @Override
  public View acquire() {
    synchronized (this) {
      View fresh = fresh();
      if (fresh != null) {
        return fresh;
      }
    }
    if (opening.tryLock()) {
      try {
        return opened();
      } finally {
        opening.unlock();
      }
    }
    synchronized (this) {
      if (current != null) {
        return current.used(); // another request is about to replace it
      }
    }
    opening.lock();
    try {
      return opened();
    } finally {
      opening.unlock();
    }
  }

  /** The current view if it need not be replaced. With the monitor held. */
  private @Nullable View fresh() {
    if (isClosed) {
      throw new IllegalStateException("the window is closed");
    }
    return current != null && System.nanoTime() - dueNanos < 0 ? current.used() : null;
  }

  /** With the lock of opening held. */
  private View opened() {
    View previous;
    synchronized (this) {
      View fresh = fresh();
      if (fresh != null) {
        return fresh;
      }
      previous = current == null ? null : current.used();
    }
    try {
      long start = System.nanoTime();
      Instant now = Instant.now();
      Store store;
      try {
        store = previous == null ? builder.openReadOnly() : previous.store().refreshed();
      } catch (RuntimeException e) {
        if (previous == null) {
          throw e;
        }
        return stayed(e, start);
      }
      return shown(store, now, start);
    } finally {
      if (previous != null) {
        previous.close();
      }
    }
  }

  private View shown(Store store, Instant since, long startNanos) {
    Store old = null;
    try {
      synchronized (this) {
        if (isClosed) {
          old = store;
          throw new IllegalStateException("the window is closed");
        }
        if (current != null) {
          old = current.replaced();
        }
        current = new Opened(store, ++numbers, since);
        problem = null;
        setDue(startNanos);
        return current.used();
      }
    } finally {
      if (old != null) {
        old.close();
      }
    }
  }

  /** What was shown is shown again, with the reason. */
  private synchronized View stayed(RuntimeException reason, long startNanos) {
    problem = "no later moment can be seen: " + reason.getMessage();
    setDue(startNanos);
    if (current == null) {
      throw new IllegalStateException("the window is closed", reason);
    }
    return current.used();
  }

  private void setDue(long startNanos) {
    long end = System.nanoTime();
    dueNanos = end + Math.max(leastAge.toNanos(), (SHARE - 1) * (end - startNanos));
  }

  /** Looks again later whether anybody has looked. With the monitor held. */
  private void watch() {
    if (!isWatched && current != null) {
      isWatched = true;
      CompletableFuture.delayedExecutor(mostIdle.toMillis(), TimeUnit.MILLISECONDS)
          .execute(this::closeIfIdle);
    }
  }

  private void closeIfIdle() {
    Store idle = null;
    synchronized (this) {
      isWatched = false;
      if (current == null) {
        return;
      }
      if (current.users == 0 && System.nanoTime() - lastUseNanos >= mostIdle.toNanos()) {
        idle = current.replaced();
        current = null;
      } else {
        watch();
      }
    }
    if (idle != null) {
      idle.close();
    }
  }

  /** Whether a view is open; for tests. */
  synchronized boolean isOpen() {
    return current != null;
  }

  @Override
  public boolean areRefreshed() {
    return true;
  }

  @Override
  public void close() {
    Store last = null;
    synchronized (this) {
      isClosed = true;
      if (current != null) {
        last = current.replaced();
        current = null;
      }
    }
    if (last != null) {
      last.close();
    }
  }
}
