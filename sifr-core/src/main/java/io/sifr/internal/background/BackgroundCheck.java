package io.sifr.internal.background;

import io.sifr.error.StoreIoException;
import io.sifr.internal.sst.inspect.SstScrub;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Scrub;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the SSTs and value files of a store while it is open. First the indexes and filters of
 * those with which it was opened, since opening reads nothing of them. Then, in rounds, all of
 * every file there is: blocks that were checked when they were read or written may be damaged
 * later, and many are never read. A round begins a day after the one before, or when that is over.
 *
 * <p>A step is one small task between flushes, followed by a pause that depends on what was read.
 * Thread-safe.
 */
public final class BackgroundCheck {
  /** From the beginning of a round to the beginning of the next one, at least. */
  public static final long ROUND_MILLIS = TimeUnit.DAYS.toMillis(1);

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCheck.class);

  /** Before a file that could not be read is tried again. */
  private static final long RETRY_MILLIS = TimeUnit.SECONDS.toMillis(10) / Retries.PAUSES_DIVIDED;

  /** The number of attempts in a round. */
  private static final int MOST_ATTEMPTS = 3;

  private final long bytesPerSecond;
  private final long roundMillis;
  private final BackgroundThreads threads;
  private final ObsoleteFiles obsoleteFiles;
  private final Supplier<? extends Collection<? extends Scrub>> all;

  // Guarded by this.

  /** What is left of the SSTs found at the opening, then of the current round. */
  private final Deque<Scrub> left = new ArrayDeque<>();

  private boolean isInRounds;
  private long roundBegan;

  /** True if a step or the next round is scheduled, or a step runs. */
  private boolean isUnderWay;

  private boolean paused;
  private volatile boolean stopped;

  /**
   * Checks nothing before {@link #begin}.
   *
   * @param bytesPerSecond bytes to read in a second, on average; 0 for no check
   * @param roundMillis see {@link #ROUND_MILLIS}
   * @param all the checks of a round that begins at that moment
   */
  public BackgroundCheck(
      long bytesPerSecond,
      long roundMillis,
      BackgroundThreads threads,
      ObsoleteFiles obsoleteFiles,
      Supplier<? extends Collection<? extends Scrub>> all) {
    this.bytesPerSecond = bytesPerSecond;
    this.roundMillis = roundMillis;
    this.threads = threads;
    this.obsoleteFiles = obsoleteFiles;
    this.all = all;
  }

  public synchronized void begin(Collection<Sst> found) {
    if (bytesPerSecond > 0) {
      found.forEach(sst -> left.add(new SstScrub(sst, false)));
      if (left.isEmpty()) { // a new store takes no thread for a round of nothing
        isInRounds = true;
        roundBegan = now();
      }
      next(0);
    }
  }

  /** Number of SSTs found at the opening whose index and filter are still to be checked. */
  public synchronized int left() {
    return isInRounds ? 0 : left.size();
  }

  public synchronized void pause() {
    paused = true;
  }

  public synchronized void resume() {
    paused = false;
    next(0);
  }

  /** Ends it at once, or after the read that is in progress. */
  public void stop() {
    stopped = true;
  }

  // Guarded by this.
  private void next(long pauseMillis) {
    if (isUnderWay || bytesPerSecond == 0) {
      return;
    }
    isUnderWay = true;
    if (left.isEmpty()) {
      threads.executeLater(this::beginRound, Math.max(pauseMillis, untilRound()));
    } else {
      threads.executeLater(this::step, pauseMillis);
    }
  }

  /** How many milliseconds there are until a round begins; 0 when none is awaited. */
  synchronized long untilRound() {
    return isInRounds && left.isEmpty() ? Math.max(0, roundBegan + roundMillis - now()) : 0;
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void beginRound() {
    Collection<? extends Scrub> round = all.get();
    synchronized (this) {
      isInRounds = true;
      roundBegan = now();
      left.addAll(round);
      isUnderWay = false;
      next(0);
    }
  }

  private void step() {
    Scrub scrub = first();
    if (scrub == null) {
      return;
    }
    long pauseMillis = 0;
    try {
      pauseMillis = pauseAfter(scrub.step(this::checkGoesOn));
      if (scrub.isDone()) {
        passed(scrub, false);
      }
      obsoleteFiles.reclaim(); // it may have become obsolete, and was kept for the check
    } catch (StoreIoException e) {
      LOG.debug("a file cannot be checked: {}", e.getMessage());
      pauseMillis = RETRY_MILLIS;
      passed(scrub, scrub.failures() < MOST_ATTEMPTS); // it does not hold up the others for ever
    } catch (CancellationException e) {
      LOG.debug("{}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.warn("the check of files in the background has failed", e);
      stop();
    } finally {
      ended(pauseMillis);
    }
  }

  /** The next one; null when there is a pause, after which {@link #resume} begins again. */
  private synchronized @Nullable Scrub first() {
    isUnderWay = !paused;
    return paused ? null : left.peek();
  }

  private synchronized void passed(Scrub scrub, boolean again) {
    left.poll();
    if (again) {
      left.add(scrub);
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
