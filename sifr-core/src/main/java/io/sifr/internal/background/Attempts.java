package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import org.jspecify.annotations.Nullable;

/**
 * The consecutive failures of one kind of background work, which is retried because nothing of it
 * was committed. On a full disk the pause before a retry is 200 ms; after other failures 100 ms at
 * first, then twice as long each time, up to 5 s.
 *
 * <p>Threads that wait for the work are told of a full disk at once, since it lasts until space is
 * freed. Other failures are mostly transient and reported to them only when the work has failed
 * more than {@value #MOST_AWAITED} times, after 1.5 s. The caller synchronizes.
 */
final class Attempts {
  /** Consecutive failures that waiting threads are not told of. */
  static final int MOST_AWAITED = 4;

  private static final long FULL_PAUSE_MILLIS = 200;
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5000;

  private int failures;
  private @Nullable StoreIoException last;
  private boolean isPausing;

  /** Whether the previous attempt failed differently, so that this failure is to be reported. */
  boolean isNews(StoreIoException failure) {
    return last == null || !last.getClass().equals(failure.getClass());
  }

  /**
   * Notes that an attempt failed; the next one is not made before {@link #next}.
   *
   * @return milliseconds to wait before the next
   */
  long failed(StoreIoException failure) {
    failures++;
    last = failure;
    isPausing = true;
    return failure instanceof StoreFullException
        ? FULL_PAUSE_MILLIS
        : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
  }

  /** The pause is over. */
  void next() {
    isPausing = false;
  }

  /** Whether the next attempt has to wait. */
  boolean isPausing() {
    return isPausing;
  }

  /**
   * An attempt succeeded.
   *
   * @return how many had failed before
   */
  int succeeded() {
    int before = failures;
    failures = 0;
    last = null;
    isPausing = false;
    return before;
  }

  /** During a pause, throws the last failure if it should be reported to waiting threads. */
  void check() {
    StoreIoException cause = last;
    if (isPausing
        && cause != null
        && (cause instanceof StoreFullException || failures > MOST_AWAITED)) {
      throw cause.again();
    }
  }
}
