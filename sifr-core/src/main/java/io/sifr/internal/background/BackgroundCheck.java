package io.sifr.internal.background;

import io.sifr.error.StoreIoException;
import io.sifr.internal.sst.Sst;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the SSTs with which a store was opened, since opening reads nothing of them; those written
 * later were verified. An SST is one small task between flushes, followed by a pause that depends
 * on what was read. Thread-safe.
 */
final class BackgroundCheck {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCheck.class);

  /** Before an SST that could not be read is tried again. */
  private static final long RETRY_MILLIS = TimeUnit.SECONDS.toMillis(10) / Retries.PAUSES_DIVIDED;

  private final long bytesPerSecond;
  private final BackgroundThreads threads;
  private final ObsoleteFiles obsoleteFiles;

  // Guarded by this.
  private final Deque<Sst> left = new ArrayDeque<>();

  /** Whether a step is scheduled or runs. */
  private boolean isUnderWay;

  private boolean paused;
  private volatile boolean stopped;

  /**
   * Checks nothing before {@link #begin}.
   *
   * @param bytesPerSecond bytes to read in a second, on average; 0 for no check
   */
  BackgroundCheck(long bytesPerSecond, BackgroundThreads threads, ObsoleteFiles obsoleteFiles) {
    this.bytesPerSecond = bytesPerSecond;
    this.threads = threads;
    this.obsoleteFiles = obsoleteFiles;
  }

  synchronized void begin(Collection<Sst> found) {
    if (bytesPerSecond > 0) {
      left.addAll(found);
      next(0);
    }
  }

  /** Number of SSTs that are still to be checked. */
  synchronized int left() {
    return left.size();
  }

  synchronized void pause() {
    paused = true;
  }

  synchronized void resume() {
    paused = false;
    next(0);
  }

  /** Ends it at once, or after the read that is in progress. */
  void stop() {
    stopped = true;
  }

  // Guarded by this.
  private void next(long pauseMillis) {
    if (!isUnderWay && !left.isEmpty()) {
      isUnderWay = true;
      threads.executeLater(this::step, pauseMillis);
    }
  }

  private void step() {
    Sst sst = first();
    if (sst == null) {
      return;
    }
    long pauseMillis = 0;
    try {
      pauseMillis = pauseAfter(sst.check(this::checkGoesOn));
      passed(sst, false);
      obsoleteFiles.reclaim(); // it may have become obsolete, and was kept for the check
    } catch (StoreIoException e) {
      LOG.debug("an SST is checked again later: {}", e.getMessage());
      pauseMillis = RETRY_MILLIS;
      passed(sst, true);
    } catch (CancellationException e) {
      LOG.debug("{}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.warn("the check of SSTs in the background has failed", e);
      stop();
    } finally {
      ended(pauseMillis);
    }
  }

  /** The next one; null when there is a pause, after which {@link #resume} begins again. */
  private synchronized @Nullable Sst first() {
    isUnderWay = !paused;
    return paused ? null : left.peek();
  }

  private synchronized void passed(Sst sst, boolean again) {
    left.poll();
    if (again) {
      left.add(sst);
    }
  }

  private synchronized void ended(long pauseMillis) {
    isUnderWay = false;
    if (!stopped) {
      next(pauseMillis);
    }
  }

  private long pauseAfter(long bytes) {
    return (bytes * TimeUnit.SECONDS.toMillis(1) + bytesPerSecond - 1) / bytesPerSecond;
  }

  private void checkGoesOn() {
    if (stopped) {
      throw new CancellationException("the store is closing");
    }
  }
}
